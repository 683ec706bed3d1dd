// Puts the page together and keeps it going; draws only when something has changed.

class Player {
  constructor({ about, stream }) {
    this.about = about;
    this.ramp = about.ramp;
    this.things = about.things.map((one) => new Thing(one, stream));
    this.contacts = new Contacts(about.contacts, stream);
    this.metrics = { ...about.metrics, values: stream(about.metrics.values) };
    this.clock = new Clock(stream(about.times));
    this.camera = new Camera();
    this.canvas = find("view");
    this.renderer = new Renderer(this.canvas, this.things, about.ramp);
    this.follow = "";
    const [low, high] = about.view.first;
    this.look = {
      camera: this.camera, layers: new Set(this.things.map((thing) => thing.layer)), channel: "",
      contacts: this.contacts.reference > 0 ? this.contacts : null, veiled: new Set(),
      size: Math.max(length(subtract(high, low)), 1e-3),
    };
    const changed = () => this.refresh();
    this.plots = new Plots(find("plots"), this.metrics, this.clock, changed);
    this.aim();
    this.controls = new Controls(this);
    new CameraControls(this.canvas, this.camera, changed);
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.title();
  }

  title() {
    const { scene, variant, seed } = this.about;
    const name = variant ? `${scene} (${variant})` : scene;
    document.title = `${name} | supple`;
    find("scene").textContent = scene;
    find("run").textContent = [variant && `variant ${variant}`, `seed ${seed}`, ...this.about.overrides]
      .filter(Boolean).join(" · ");
  }

  // The whole of what will happen; but if things travel far, the first moment, and the one that travels is followed.
  aim() {
    const size = ([low, high]) => length(subtract(high, low));
    const { always, first } = this.about.view;
    this.camera.aspect = (this.canvas.clientWidth || 1) / (this.canvas.clientHeight || 1);
    const far = size(always) > 4 * Math.max(size(first), 1e-6);
    this.camera.fit(far ? first : always);
    const traveller = this.things.find((thing) => thing.moves && thing.layer !== "ground");
    if (far && traveller) this.followBody(traveller.path);
  }

  fit() {
    this.follow = find("follow").value = "";
    this.camera.fit(this.about.view.always);
    this.refresh();
  }

  followBody(path) {
    this.follow = path;
    this.anchor = path ? this.whereIs(path) : null;
    this.refresh();
  }

  // Mean place of all things of an entity and below it.
  whereIs(path) {
    const now = this.clock.now();
    const own = this.things.filter((thing) => thing.moves && (thing.path === path || thing.path.startsWith(`${path}/`)));
    const sum = own.reduce((total, thing) => add(total, thing.whereIs(now)), [0, 0, 0]);
    return times(sum, 1 / (own.length || 1));
  }

  refresh() {
    this.stale = true;
  }

  resize() {
    this.renderer.resize();
    this.camera.aspect = this.canvas.width / this.canvas.height;
    if (!this.settled) this.aim();
    this.settled = true;
    this.plots.resize();
    this.refresh();
  }

  draw() {
    if (this.follow) {
      const here = this.whereIs(this.follow);
      this.camera.target = add(this.camera.target, subtract(here, this.anchor));
      this.anchor = here;
    }
    this.look.now = this.clock.now();
    this.renderer.draw(this.look);
    this.plots.draw();
    this.controls.update();
    this.showScale();
  }

  // The length on the screen of an arrow of a round number of newtons.
  showScale() {
    const { contacts, look, camera } = this;
    find("scale").hidden = !look.contacts;
    if (!look.contacts) return;
    const ten = Math.pow(10, Math.floor(Math.log10(contacts.reference)));
    const force = ten * Math.floor(contacts.reference / ten);
    const metres = (look.size * ARROW_SHARE * force) / contacts.reference;
    const pixels = (metres * this.canvas.clientHeight) / (2 * camera.distance * Math.tan(FIELD_OF_VIEW / 2));
    find("scale-bar").style.width = `${clamp(pixels, 4, 200)}px`;
    find("scale-text").textContent = `${tell(force)} N`;
  }

  run(before) {
    requestAnimationFrame((time) => {
      if (this.clock.pass((time - before) / 1000)) this.stale = true;
      if (this.stale && this.settled) {
        this.stale = false;
        this.draw();
      }
      this.run(time);
    });
  }
}

async function start() {
  try {
    const player = new Player(await readRecording());
    document.body.classList.remove("loading");
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!still) player.clock.toggle();
    player.run(performance.now());
  } catch (error) {
    document.body.classList.remove("loading");
    find("message").hidden = false;
    find("message").textContent = `This recording cannot be shown: ${error.message}.`;
    throw error;
  }
}

start();
