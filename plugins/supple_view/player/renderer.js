// Draws things with WebGL 2: a pass for shadows, then sky, ground, things, and arrows that shine through.

const SUN = normalise([0.42, 1.0, 0.58]);
const SKY_TOP = [0.957, 0.965, 0.973];
const SKY_BOTTOM = [0.855, 0.875, 0.898];
const ARROW_COLOUR = [0.9, 0.22, 0.16];
// Length of the arrow of the usual force, in sizes of the scene.
const ARROW_SHARE = 0.22;
const SHADOW_UNIT = 0, RAMP_UNIT = 1;

class Renderer {
  constructor(canvas, things, ramp) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, preserveDrawingBuffer: false });
    if (!gl) throw new Error("this browser offers no WebGL 2, which the player needs");
    Object.assign(this, { canvas, gl, things });
    this.programs = {
      thing: new Program(gl, THING_VERTEX, THING_FRAGMENT),
      shadow: new Program(gl, SHADOW_VERTEX, SHADOW_FRAGMENT),
      ground: new Program(gl, GROUND_VERTEX, GROUND_FRAGMENT),
      sky: new Program(gl, SKY_VERTEX, SKY_FRAGMENT),
      arrow: new Program(gl, ARROW_VERTEX, ARROW_FRAGMENT),
    };
    this.meshes = new Map(things.filter((thing) => !thing.isPlane).map((thing) => [thing, new Mesh(gl, thing)]));
    this.square = makeSquare(gl);
    this.arrows = new Arrows(gl);
    this.shadows = new ShadowMap(gl, Math.min(2048, gl.getParameter(gl.MAX_TEXTURE_SIZE)));
    makeRamp(gl, ramp);
  }

  // `look`: now, camera, layers and veiled ones (sets), channel (what it says, or ""), contacts (or null).
  draw(look) {
    const { gl, canvas } = this;
    const shown = this.things.filter((thing) => look.layers.has(thing.layer));
    const solid = shown.filter((thing) => !thing.isPlane);
    for (const thing of solid) this.meshes.get(thing).update(thing, look);
    const sun = this.drawShadows(solid, look);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawSky();
    gl.enable(gl.DEPTH_TEST);
    for (const thing of shown) if (thing.isPlane) this.drawGround(thing, look, sun);
    this.drawThings(solid, look, sun);
    if (look.contacts) this.drawArrows(look);
  }

  drawShadows(things, look) {
    const { gl } = this;
    const half = look.camera.distance * 1.25;
    const target = look.camera.target;
    const eye = add(target, times(SUN, half * 4));
    const matrix = multiplyMatrices(orthographic(half, 0, half * 8), lookAt(eye, target, [0, 0, -1]));
    this.shadows.bind();
    gl.enable(gl.DEPTH_TEST);
    const program = this.programs.shadow.use({ camera: matrix });
    for (const thing of things) {
      program.set({ model: thing.matrix(look.now) });
      this.meshes.get(thing).draw();
    }
    this.shadows.release();
    return { sun: matrix, sunDirection: SUN, texel: (2 * half) / this.shadows.size, shadows: SHADOW_UNIT };
  }

  drawSky() {
    const { gl } = this;
    gl.disable(gl.DEPTH_TEST);
    this.programs.sky.use({ top: SKY_TOP, bottom: SKY_BOTTOM });
    gl.bindVertexArray(null);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  drawGround(thing, look, sun) {
    const { gl } = this;
    const model = thing.matrix(look.now);
    const up = [model[4], model[5], model[6]];
    const origin = [model[12], model[13], model[14]];
    const from = subtract(look.camera.target, origin);
    const above = dot(subtract(look.camera.eye(), origin), up) > 0;
    gl.enable(gl.BLEND);
    gl.depthMask(above);
    this.programs.ground.use({
      ...sun, camera: look.camera.matrix(), model, up, colour: thing.colour.map((c) => mix(c, 1, 0.35)),
      middle: [dot(from, [model[0], model[1], model[2]]), dot(from, [model[8], model[9], model[10]])],
      reach: look.camera.distance * 5, spacing: gridSpacing(look.camera.distance), opacity: above ? 1 : 0.3,
    });
    gl.bindVertexArray(this.square);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  drawThings(things, look, sun) {
    const { gl } = this;
    const program = this.programs.thing.use({
      ...sun, camera: look.camera.matrix(), eye: look.camera.eye(), ramp: RAMP_UNIT, opacity: 1,
    });
    const veils = things.filter((thing) => look.veiled.has(thing.layer));
    for (const thing of things) if (!veils.includes(thing)) this.drawThing(program, thing, look);
    gl.enable(gl.BLEND);
    program.set({ opacity: 0.35 });
    for (const thing of veils) this.drawThing(program, thing, look);
    gl.disable(gl.BLEND);
  }

  drawThing(program, thing, look) {
    const coloured = thing.channel !== null && thing.channel.says === look.channel;
    program.set({ model: thing.matrix(look.now), colour: thing.colour, coloured });
    this.meshes.get(thing).draw();
  }

  // Arrows start at the surface and mostly lead into a body: faint where something hides them.
  drawArrows(look) {
    const { gl } = this;
    const contacts = look.contacts.at(look.now);
    if (!contacts.count || !look.contacts.reference) return;
    const usual = look.size * ARROW_SHARE;
    this.arrows.load(contacts);
    const program = this.programs.arrow.use({
      camera: look.camera.matrix(), colour: ARROW_COLOUR, sunDirection: SUN, width: look.camera.distance * 0.0035,
      scale: usual / look.contacts.reference, longest: usual * 2,
    });
    gl.enable(gl.BLEND);
    gl.depthFunc(gl.ALWAYS);
    gl.depthMask(false);
    program.set({ opacity: 0.45 });
    this.arrows.draw(contacts.count);
    gl.depthFunc(gl.LESS);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    program.set({ opacity: 1 });
    this.arrows.draw(contacts.count);
  }

  // The canvas follows its size on the screen; true when it changed.
  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width === width && this.canvas.height === height) return false;
    this.canvas.width = width;
    this.canvas.height = height;
    return true;
  }
}

// 1, 2 or 5 times a power of ten, about a twentieth of what is in view.
function gridSpacing(distance) {
  const wanted = distance / 12;
  const ten = Math.pow(10, Math.floor(Math.log10(wanted)));
  return ten * (wanted / ten < 2 ? 1 : wanted / ten < 5 ? 2 : 5);
}
