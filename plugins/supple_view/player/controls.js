// The labelled controls around the scene.

const find = (id) => document.getElementById(id);

class Controls {
  // `player` has clock, camera, look, follow, refresh().
  constructor(player) {
    this.player = player;
    this.clock = player.clock;
    this.buildTransport();
    this.buildLayers();
    this.buildFollow();
    this.buildColours();
    this.buildPlots();
    document.addEventListener("keydown", (event) => this.type(event));
    find("panel-toggle").addEventListener("click", () => this.togglePanel());
  }

  buildTransport() {
    const { clock, player } = this;
    const slider = find("scrub");
    slider.min = clock.first;
    slider.max = clock.last;
    slider.step = "any";
    slider.addEventListener("input", () => {
      clock.seek(Number(slider.value));
      player.refresh();
    });
    find("play").addEventListener("click", () => this.play());
    for (const [id, count] of [["back", -1], ["forward", 1]]) {
      find(id).addEventListener("click", () => this.step(count));
    }
    find("speed").addEventListener("change", (event) => (clock.speed = Number(event.target.value)));
    find("repeat").addEventListener("change", (event) => (clock.repeats = event.target.checked));
    find("fit").addEventListener("click", () => player.fit());
  }

  buildLayers() {
    const { look, things, contacts } = this.player;
    const order = ["ground", "bodies", "bones", "skin", "muscles"];
    const place = (layer) => (order.indexOf(layer) + order.length + 1) % (order.length + 1);
    const layers = [...new Set(things.map((thing) => thing.layer))];
    layers.sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
    for (const layer of layers) {
      this.addToggle(layer, true, (on) => look.layers[on ? "add" : "delete"](layer));
    }
    if (contacts.reference > 0) {
      this.addToggle("contact forces", true, (on) => (look.contacts = on ? contacts : null));
    }
    const beneath = { skin: (layer) => !["skin", "ground"].includes(layer), bodies: (layer) => layer === "muscles" };
    for (const [layer, lies] of Object.entries(beneath)) {
      if (!layers.includes(layer) || !layers.some(lies)) continue;
      this.addToggle(`see through ${layer}`, false, (on) => look.veiled[on ? "add" : "delete"](layer));
    }
  }

  addToggle(text, on, act) {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = on;
    box.addEventListener("change", () => {
      act(box.checked);
      this.player.refresh();
    });
    label.append(box, ` ${text}`);
    find("layers").append(label);
  }

  // Bodies that move, and wholes that consist of several.
  buildFollow() {
    const paths = this.player.things.filter((thing) => thing.moves).map((thing) => thing.path);
    const wholes = paths.map((path) => path.split("/")[0]).filter((root, _, all) => all.indexOf(root) !== all.lastIndexOf(root));
    const select = find("follow");
    for (const path of [...new Set([...wholes, ...paths])]) select.append(new Option(path, path));
    select.value = this.player.follow;
    select.addEventListener("change", () => this.player.followBody(select.value));
    select.closest("label").hidden = select.length < 2;
  }

  buildColours() {
    const { things, look, ramp } = this.player;
    const channels = new Map();
    for (const thing of things) if (thing.channel) channels.set(thing.channel.says, thing.channel);
    const select = find("channel");
    for (const says of channels.keys()) select.append(new Option(says, says));
    select.closest("label").hidden = channels.size === 0;
    const stops = ramp.map((colour) => `rgb(${colour.map((c) => Math.round(c * 255)).join(" ")})`);
    find("ramp").style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    select.addEventListener("change", () => {
      const channel = channels.get(select.value);
      look.channel = select.value;
      find("legend").hidden = !channel;
      if (channel) {
        find("legend-low").textContent = tell(channel.low);
        find("legend-high").textContent = `${tell(channel.high)} ${channel.unit === "1" ? "" : channel.unit}`;
        find("legend-says").textContent = channel.says;
      }
      this.player.refresh();
    });
  }

  buildPlots() {
    const { metrics, plots } = this.player;
    const select = find("add-plot");
    const groups = new Map();
    metrics.names.forEach((name, column) => {
      const at = name.lastIndexOf(".");
      const owner = name.slice(0, at);
      if (!groups.has(owner)) {
        groups.set(owner, document.createElement("optgroup"));
        groups.get(owner).label = owner;
        select.append(groups.get(owner));
      }
      groups.get(owner).append(new Option(name.slice(at + 1), column));
    });
    find("figures").hidden = metrics.names.length === 0;
    select.addEventListener("change", () => {
      plots.add(Number(select.value));
      select.value = "";
    });
  }

  play() {
    this.clock.toggle();
    this.player.refresh();
  }

  step(count) {
    this.clock.playing = false;
    this.clock.step(count);
    this.player.refresh();
  }

  togglePanel() {
    const shut = document.body.classList.toggle("narrow");
    find("panel-toggle").setAttribute("aria-expanded", String(!shut));
    this.player.refresh();
  }

  // Keys that a control wants for itself stay with it.
  type(event) {
    const own = event.target.closest("select, button, input[type=checkbox], summary");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = {
      " ": () => this.play(), ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1),
      Home: () => this.step(-Infinity), End: () => this.step(Infinity), f: () => this.player.fit(),
    };
    const act = acts[event.key];
    if (!act || (own && event.key !== "f")) return;
    event.preventDefault();
    act();
  }

  // Show the state of the clock.
  update() {
    const { clock } = this;
    const now = clock.now();
    const slider = find("scrub");
    slider.value = clock.time;
    slider.setAttribute("aria-valuetext", `${clock.time.toFixed(2)} seconds`);
    find("time").textContent = `${clock.time.toFixed(3)} s`;
    find("length").textContent = `of ${tell(clock.last)} s, frame ${now.frame + 1} of ${clock.frames}`;
    const play = find("play");
    play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    play.dataset.playing = clock.playing;
  }
}
