// Metrics over time beside the scene. The curve is drawn once; the cursor moves above it.

const PLOT_HEIGHT = 84;
const PLOT_MARGIN = 4;

class Plots {
  constructor(parent, metrics, clock, changed) {
    Object.assign(this, { parent, metrics, clock, changed, open: [] });
    for (const column of metrics.plots) this.add(column);
  }

  add(column) {
    if (this.open.some((plot) => plot.column === column)) return;
    const plot = new Plot(this, column);
    this.open.push(plot);
    this.parent.append(plot.figure);
    plot.resize();
  }

  remove(plot) {
    this.open = this.open.filter((other) => other !== plot);
    plot.figure.remove();
  }

  resize() {
    for (const plot of this.open) plot.resize();
  }

  draw() {
    for (const plot of this.open) plot.draw();
  }
}

class Plot {
  constructor(plots, column) {
    Object.assign(this, { plots, column });
    const { metrics } = plots;
    this.name = metrics.names[column];
    this.unit = metrics.units[column];
    this.read = (frame) => metrics.values[frame * metrics.names.length + column];
    this.measure();
    this.build();
  }

  measure() {
    let low = Infinity, high = -Infinity;
    for (let frame = 0; frame < this.plots.clock.frames; frame++) {
      const value = this.read(frame);
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    this.known = low <= high;
    this.low = this.known ? low : 0;
    this.high = this.known ? high : 1;
  }

  build() {
    this.figure = document.createElement("figure");
    this.figure.className = "plot";
    const caption = document.createElement("figcaption");
    const title = document.createElement("span");
    title.textContent = this.unit && this.unit !== "1" ? `${this.name} [${this.unit}]` : this.name;
    title.title = title.textContent;
    this.value = document.createElement("output");
    const close = document.createElement("button");
    close.textContent = "×";
    close.type = "button";
    close.setAttribute("aria-label", `Remove the plot of ${this.name}`);
    close.addEventListener("click", () => this.plots.remove(this));
    caption.append(title, this.value, close);
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    const range = this.known ? `from ${tell(this.low)} to ${tell(this.high)}` : "without values";
    this.canvas.setAttribute("aria-label", `${title.textContent} over time, ${range}; click to go there`);
    for (const name of ["pointerdown", "pointermove"]) {
      this.canvas.addEventListener(name, (event) => this.seek(event));
    }
    this.figure.append(caption, this.canvas);
  }

  seek(event) {
    if (event.type === "pointermove" && !(event.buttons & 1)) return;
    if (event.type === "pointerdown") this.canvas.setPointerCapture(event.pointerId);
    const { clock } = this.plots;
    const box = this.canvas.getBoundingClientRect();
    const part = (event.clientX - box.left - PLOT_MARGIN) / (box.width - 2 * PLOT_MARGIN);
    clock.seek(mix(clock.first, clock.last, clamp(part, 0, 1)));
    this.plots.changed();
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.width = this.canvas.clientWidth || 260;
    this.ratio = ratio;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(PLOT_HEIGHT * ratio);
    this.curve = document.createElement("canvas");
    this.curve.width = this.canvas.width;
    this.curve.height = this.canvas.height;
    this.drawCurve();
    this.draw();
  }

  across(time) {
    const { clock } = this.plots;
    return PLOT_MARGIN + ((time - clock.first) / (clock.last - clock.first || 1)) * (this.width - 2 * PLOT_MARGIN);
  }

  upright(value) {
    const span = this.high - this.low;
    const part = span > 0 ? (value - this.low) / span : 0.5;
    return PLOT_HEIGHT - PLOT_MARGIN - part * (PLOT_HEIGHT - 2 * PLOT_MARGIN);
  }

  drawCurve() {
    const pen = this.curve.getContext("2d");
    const { clock } = this.plots;
    pen.scale(this.ratio, this.ratio);
    pen.strokeStyle = "#dfe3e8";
    pen.lineWidth = 1;
    for (const level of [this.low, this.high, ...(this.low < 0 && this.high > 0 ? [0] : [])]) {
      const y = Math.round(this.upright(level)) + 0.5;
      pen.beginPath();
      pen.moveTo(PLOT_MARGIN, y);
      pen.lineTo(this.width - PLOT_MARGIN, y);
      pen.stroke();
    }
    pen.beginPath();
    let drawing = false;
    for (let frame = 0; frame < clock.frames; frame++) {
      const value = this.read(frame);
      const finite = Number.isFinite(value);
      if (finite) pen[drawing ? "lineTo" : "moveTo"](this.across(clock.times[frame]), this.upright(value));
      drawing = finite;
    }
    pen.strokeStyle = "#2f6f9f";
    pen.lineWidth = 1.4;
    pen.lineJoin = "round";
    pen.stroke();
    this.label(pen);
  }

  label(pen) {
    pen.font = "10px system-ui, sans-serif";
    pen.textAlign = "right";
    if (!this.known) return;
    this.labelAt(pen, tell(this.high), PLOT_MARGIN + 12);
    if (this.high > this.low) this.labelAt(pen, tell(this.low), PLOT_HEIGHT - PLOT_MARGIN - 3);
  }

  // Readable above the curve too.
  labelAt(pen, text, y) {
    const right = this.width - PLOT_MARGIN - 2;
    pen.fillStyle = "rgb(250 251 252 / 80%)";
    pen.fillRect(right - pen.measureText(text).width - 2, y - 10, pen.measureText(text).width + 4, 12);
    pen.fillStyle = "#56606b";
    pen.fillText(text, right, y);
  }

  draw() {
    const pen = this.canvas.getContext("2d");
    const { clock } = this.plots;
    const now = clock.now();
    const value = this.read(now.frame);
    this.value.textContent = Number.isFinite(value) ? tell(value) : "–";
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.curve, 0, 0);
    pen.scale(this.ratio, this.ratio);
    const x = this.across(clock.time);
    pen.strokeStyle = "#c8501e";
    pen.beginPath();
    pen.moveTo(x, 0);
    pen.lineTo(x, PLOT_HEIGHT);
    pen.stroke();
    if (!Number.isFinite(value)) return;
    pen.fillStyle = "#c8501e";
    pen.beginPath();
    pen.arc(x, this.upright(value), 3, 0, 2 * Math.PI);
    pen.fill();
  }
}

// Four digits, without a tail of noughts.
function tell(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e5 || size < 1e-3 ? value.toExponential(2) : Number(value.toPrecision(4)).toString();
  return text.replace("-", "−");
}
