// A camera on a sphere around what it looks at. Drag turns, right or shift drag moves, wheel or pinch zooms.

const FIELD_OF_VIEW = 0.62; // rad, from the lower to the upper edge
const STEEPEST = 1.5;

class Camera {
  constructor() {
    this.azimuth = 0.62;
    this.elevation = 0.3;
    this.distance = 3;
    this.target = [0, 0, 0];
    this.aspect = 1;
  }

  eye() {
    const { azimuth, elevation, distance, target } = this;
    const flat = Math.cos(elevation) * distance;
    return add(target, [Math.sin(azimuth) * flat, Math.sin(elevation) * distance, Math.cos(azimuth) * flat]);
  }

  matrix() {
    const view = lookAt(this.eye(), this.target, [0, 1, 0]);
    return multiplyMatrices(perspective(FIELD_OF_VIEW, this.aspect, this.distance * 0.01, this.distance * 40), view);
  }

  // Look at the whole of a box given by its lowest and highest corner.
  fit([low, high]) {
    this.target = times(add(low, high), 0.5);
    const radius = Math.max(length(subtract(high, low)) / 2, 1e-3);
    this.distance = (radius * 1.12) / Math.sin((FIELD_OF_VIEW / 2) * Math.min(1, this.aspect));
  }

  turn(across, down) {
    this.azimuth -= across;
    this.elevation = clamp(this.elevation + down, -STEEPEST, STEEPEST);
  }

  zoom(factor) {
    this.distance = clamp(this.distance * factor, 1e-4, 1e5);
  }

  // Move what is looked at, in parts of the picture's height.
  shift(across, down) {
    const towards = normalise(subtract(this.eye(), this.target));
    const right = normalise(cross([0, 1, 0], towards));
    const up = cross(towards, right);
    const size = 2 * this.distance * Math.tan(FIELD_OF_VIEW / 2);
    this.target = add(this.target, add(times(right, -across * size), times(up, down * size)));
  }
}

class CameraControls {
  constructor(canvas, camera, changed) {
    Object.assign(this, { canvas, camera, changed, fingers: new Map() });
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => this.fingers.delete(event.pointerId));
    }
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.roll(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.type(event));
  }

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
    this.shifting = event.button !== 0 || event.shiftKey;
  }

  move(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const height = this.canvas.clientHeight || 1;
    const across = event.clientX - before[0], down = event.clientY - before[1];
    if (this.fingers.size === 2) this.pinch(event, before, height);
    else if (this.shifting) this.camera.shift(across / height, down / height);
    else this.camera.turn((across * 3.5) / height, (down * 3.5) / height);
    this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
    this.changed();
  }

  // Two fingers: their distance zooms, their middle moves.
  pinch(event, before, height) {
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)[1];
    const apart = (finger) => Math.hypot(finger[0] - other[0], finger[1] - other[1]) || 1;
    const now = [event.clientX, event.clientY];
    this.camera.zoom(apart(before) / apart(now));
    this.camera.shift((now[0] - before[0]) / 2 / height, (now[1] - before[1]) / 2 / height);
  }

  roll(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
    this.camera.zoom(Math.exp(clamp(lines, -200, 200) * 0.0015));
    this.changed();
  }

  type(event) {
    const moves = {
      a: () => this.camera.turn(0.08, 0), d: () => this.camera.turn(-0.08, 0),
      w: () => this.camera.turn(0, 0.06), s: () => this.camera.turn(0, -0.06),
      q: () => this.camera.zoom(1.08), e: () => this.camera.zoom(1 / 1.08),
    };
    const move = moves[event.key.toLowerCase()];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move();
    this.changed();
  }
}
