// What lives on the graphics card: programs, meshes, arrows, the shadow map, the colour ramp.

class Program {
  constructor(gl, vertex, fragment) {
    this.gl = gl;
    this.program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS)) {
      const logs = gl.getAttachedShaders(this.program).map((shader) => gl.getShaderInfoLog(shader));
      throw new Error(`a shader does not compile: ${gl.getProgramInfoLog(this.program)} ${logs.join(" ")}`);
    }
    this.uniforms = new Map();
    const count = gl.getProgramParameter(this.program, gl.ACTIVE_UNIFORMS);
    for (let k = 0; k < count; k++) {
      const about = gl.getActiveUniform(this.program, k);
      this.uniforms.set(about.name, { at: gl.getUniformLocation(this.program, about.name), type: about.type });
    }
  }

  use(values) {
    this.gl.useProgram(this.program);
    this.set(values);
    return this;
  }

  // Values that the program does not use are ignored: programs share one description of the sun.
  set(values) {
    const { gl } = this;
    for (const [name, value] of Object.entries(values)) {
      const uniform = this.uniforms.get(name);
      if (!uniform) continue;
      if (uniform.type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(uniform.at, false, value);
      else if (uniform.type === gl.FLOAT_VEC3) gl.uniform3fv(uniform.at, value);
      else if (uniform.type === gl.FLOAT_VEC2) gl.uniform2fv(uniform.at, value);
      else if (uniform.type === gl.FLOAT) gl.uniform1f(uniform.at, value);
      else gl.uniform1i(uniform.at, value);
    }
  }
}

class Mesh {
  constructor(gl, thing) {
    this.gl = gl;
    this.count = thing.index.length;
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    const usage = thing.isRigid ? gl.STATIC_DRAW : gl.DYNAMIC_DRAW;
    this.points = fillAttribute(gl, 0, 3, thing.points, usage);
    this.normals = fillAttribute(gl, 1, 3, thing.normals, usage);
    this.values = thing.values ? fillAttribute(gl, 2, 1, thing.values, gl.DYNAMIC_DRAW) : null;
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, thing.index, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    this.shown = "";
  }

  // Bring what changes with time to the card, if the time has changed.
  update(thing, look) {
    const coloured = thing.channel !== null && thing.channel.says === look.channel;
    const wanted = `${look.now.frame} ${look.now.part} ${coloured}`;
    if (this.shown === wanted || (thing.isRigid && !coloured)) return;
    this.shown = wanted;
    if (!thing.isRigid) {
      thing.bend(look.now);
      this.refill(this.points, thing.points);
      this.refill(this.normals, thing.normals);
    }
    if (coloured) {
      thing.colourBy(look.now);
      this.refill(this.values, thing.values);
    }
  }

  refill(buffer, values) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, buffer);
    this.gl.bufferSubData(this.gl.ARRAY_BUFFER, 0, values);
  }

  draw() {
    this.gl.bindVertexArray(this.array);
    this.gl.drawElements(this.gl.TRIANGLES, this.count, this.gl.UNSIGNED_INT, 0);
  }
}

// Instances of one arrow, whose place along the force is found by the shader.
class Arrows {
  constructor(gl, sides = 12) {
    this.gl = gl;
    const shape = [];
    for (let k = 0; k < sides; k++) {
      const a = (2 * Math.PI * k) / sides, b = (2 * Math.PI * (k + 1)) / sides;
      shape.push(...[0.55, 0, 0, a], ...[0.55, 0, 0, b], ...[0.55, 1, 0, b]);
      shape.push(...[0.55, 0, 0, a], ...[0.55, 1, 0, b], ...[0.55, 1, 0, a]);
      shape.push(...[1.6, 0, 1, a], ...[1.6, 0, 1, b], ...[0, 1, 1, a]);
      shape.push(...[1.6, 0, 1, b], ...[1.6, 0, 1, a], ...[0, 0, 1, a]);
    }
    this.corners = shape.length / 4;
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    fillAttribute(gl, 0, 4, new Float32Array(shape), gl.STATIC_DRAW);
    this.bases = fillAttribute(gl, 1, 3, new Float32Array(3), gl.DYNAMIC_DRAW);
    this.forces = fillAttribute(gl, 2, 3, new Float32Array(3), gl.DYNAMIC_DRAW);
    gl.vertexAttribDivisor(1, 1);
    gl.vertexAttribDivisor(2, 1);
    gl.bindVertexArray(null);
  }

  load(contacts) {
    const { gl } = this;
    for (const [buffer, values] of [[this.bases, contacts.points], [this.forces, contacts.forces]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    }
  }

  draw(count) {
    this.gl.bindVertexArray(this.array);
    this.gl.drawArraysInstanced(this.gl.TRIANGLES, 0, this.corners, count);
  }
}

class ShadowMap {
  constructor(gl, size) {
    Object.assign(this, { gl, size, frame: gl.createFramebuffer(), depth: gl.createTexture() });
    gl.activeTexture(gl.TEXTURE0 + SHADOW_UNIT);
    gl.bindTexture(gl.TEXTURE_2D, this.depth);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
    setTexture(gl, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.depth, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  bind() {
    const { gl } = this;
    // The texture is read by the other programs on its unit; while it is written, nothing may read it.
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    gl.viewport(0, 0, this.size, this.size);
    gl.clear(gl.DEPTH_BUFFER_BIT);
  }

  release() {
    this.gl.bindFramebuffer(this.gl.FRAMEBUFFER, null);
  }
}

function fillAttribute(gl, location, size, values, usage) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, values, usage);
  gl.enableVertexAttribArray(location);
  gl.vertexAttribPointer(location, size, gl.FLOAT, false, 0, 0);
  return buffer;
}

function makeSquare(gl) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  fillAttribute(gl, 0, 3, new Float32Array([-1, 0, -1, -1, 0, 1, 1, 0, -1, 1, 0, 1]), gl.STATIC_DRAW);
  gl.bindVertexArray(null);
  return array;
}

// `ramp`: colours from low to high, sRGB from 0 to 1, as a texture one pixel high.
function makeRamp(gl, ramp) {
  const width = 256;
  const pixels = new Uint8Array(width * 4);
  for (let k = 0; k < width; k++) {
    const colour = sampleRamp(ramp, k / (width - 1));
    for (let i = 0; i < 3; i++) pixels[4 * k + i] = Math.round(255 * colour[i]);
    pixels[4 * k + 3] = 255;
  }
  gl.activeTexture(gl.TEXTURE0 + RAMP_UNIT);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, width, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  setTexture(gl, gl.LINEAR);
}

function sampleRamp(ramp, at) {
  const place = clamp(at, 0, 1) * (ramp.length - 1);
  const first = Math.min(Math.floor(place), ramp.length - 2);
  return mixVectors(ramp[first], ramp[first + 1], place - first);
}

function setTexture(gl, filter) {
  for (const [name, value] of [
    [gl.TEXTURE_MIN_FILTER, filter], [gl.TEXTURE_MAG_FILTER, filter],
    [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
  ]) gl.texParameteri(gl.TEXTURE_2D, name, value);
}
