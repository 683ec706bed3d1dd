// What time the page shows, and how it goes on.

const NEAR = 1e-3;

class Clock {
  constructor(times) {
    this.times = times;
    this.first = times[0];
    this.last = times[times.length - 1];
    this.time = this.first;
    this.speed = 1;
    this.playing = false;
    this.repeats = true;
  }

  get frames() {
    return this.times.length;
  }

  // The frame at or before the time, and the part of the way to the next one.
  now() {
    const { times, time } = this;
    let low = 0, high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    const next = Math.min(low + 1, times.length - 1);
    const gap = times[next] - times[low];
    const part = gap > 0 ? clamp((time - times[low]) / gap, 0, 1) : 0;
    // Times are rounded: a hair before a frame is that frame.
    return part > 1 - NEAR ? { frame: next, part: 0 } : { frame: low, part: part < NEAR ? 0 : part };
  }

  seek(time) {
    this.time = clamp(time, this.first, this.last);
  }

  step(count) {
    const now = this.now();
    const here = count > 0 ? now.frame : now.frame + (now.part > 0 ? 1 : 0);
    this.seek(this.times[clamp(here + count, 0, this.frames - 1)]);
  }

  toggle() {
    this.playing = !this.playing && this.last > this.first;
    if (this.playing && this.time >= this.last) this.time = this.first;
  }

  // Let some real time pass [s]; true when the picture has changed.
  pass(seconds) {
    if (!this.playing) return false;
    // After a pause of the browser the film goes on where it was.
    this.time += Math.min(seconds, 0.1) * this.speed;
    if (this.time >= this.last) {
      if (this.repeats) this.time = this.first + ((this.time - this.first) % (this.last - this.first));
      else {
        this.time = this.last;
        this.playing = false;
      }
    }
    return true;
  }
}
