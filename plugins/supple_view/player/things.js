// One thing to see, at any time: its place if it is rigid, else its vertices; normals; the values that colour it.

class Thing {
  constructor(about, stream) {
    this.name = about.name;
    this.path = about.path;
    this.layer = about.layer;
    this.isPlane = about.plane;
    this.flat = about.flat;
    this.colour = about.colour.map(toLinear);
    this.tubes = about.segments === undefined ? null : new Tubes(stream(about.segments), about.radius);
    this.triangles = this.tubes ? this.tubes.triangles : stream(about.triangles);
    this.isRigid = "position" in about;
    if (this.isRigid) {
      this.rest = stream(about.rest);
      this.position = stream(about.position);
      this.rotation = stream(about.rotation);
      this.moves = this.position.shape[0] > 1 || this.rotation.shape[0] > 1;
    } else {
      this.vertices = stream(about.vertices);
      this.centre = stream(about.centre);
      this.moves = true;
    }
    this.channel = about.channel ? { ...about.channel, values: stream(about.channel.values) } : null;
    this.count = (this.isRigid ? this.rest.length : this.vertices.length / this.vertices.shape[0]) / 3;
    this.buildCorners();
    if (this.isRigid) this.measure(this.rest);
  }

  // Flat things have corners of their own for every triangle; smooth ones share them.
  buildCorners() {
    const shared = this.tubes !== null || !this.flat;
    this.corners = this.tubes ? this.tubes.corners : shared ? this.count : this.triangles.length;
    this.points = new Float32Array(this.corners * 3);
    this.normals = new Float32Array(this.corners * 3);
    this.values = this.channel ? new Float32Array(this.corners) : null;
    this.index = shared ? this.triangles : Uint32Array.from({ length: this.corners }, (_, k) => k);
    this.source = shared ? null : this.triangles;
  }

  measure(vertices) {
    this.place(vertices);
    let radius = 0;
    for (let k = 0; k < vertices.length; k += 3) {
      radius = Math.max(radius, Math.hypot(vertices[k], vertices[k + 1], vertices[k + 2]));
    }
    this.radius = radius;
  }

  // Centre of the thing in the world: what a camera follows.
  whereIs(now) {
    return mixRows(this.isRigid ? this.position : this.centre, 3, now);
  }

  matrix(now) {
    if (!this.isRigid) return poseMatrix([0, 0, 0], [1, 0, 0, 0]);
    const [a, b, s] = pickRows(this.rotation, 4, now);
    const from = this.rotation.subarray(a, a + 4), to = this.rotation.subarray(b, b + 4);
    return poseMatrix(mixRows(this.position, 3, now), mixRotations(from, to, s));
  }

  // Bring points and normals of a bending thing to a time.
  bend(now) {
    const row = this.count * 3;
    const [a, b, s] = pickRows(this.vertices, row, now);
    const [first, next] = pickRows(this.centre, 3, now);
    const from = this.centre.subarray(first, first + 3), to = this.centre.subarray(next, next + 3);
    const scratch = (this.scratch ??= new Float32Array(row));
    for (let k = 0; k < row; k++) {
      const axis = k % 3;
      scratch[k] = mix(this.vertices[a + k] + from[axis], this.vertices[b + k] + to[axis], s);
    }
    this.place(scratch);
  }

  place(vertices) {
    const { points, source } = this;
    if (this.tubes) this.tubes.place(vertices, points);
    else if (source === null) points.set(vertices);
    else for (let k = 0; k < points.length; k++) points[k] = vertices[3 * source[Math.floor(k / 3)] + (k % 3)];
    findNormals(points, this.index, this.normals);
  }

  // Values of the channel from 0 to 1 at a time, for all corners; nan stays.
  colourBy(now) {
    const { low, high, values } = this.channel;
    const [a, b, s] = pickRows(values, values.length / values.shape[0], now);
    for (let k = 0; k < this.corners; k++) {
      const row = this.tubes ? Math.floor(k / TUBE_CORNERS) : this.source ? this.source[k] : k;
      const value = (mix(values[a + row], values[b + row], s) - low) / (high - low || 1);
      this.values[k] = Number.isNaN(value) ? -1 : value;
    }
  }
}

// Tubes along segments: at either end a ring, and a tip beyond it.
const TUBE_SIDES = 8;
const TUBE_CORNERS = 2 * TUBE_SIDES + 2;

class Tubes {
  constructor(segments, radius) {
    Object.assign(this, { segments, radius });
    const count = segments.length / 2;
    this.corners = count * TUBE_CORNERS;
    const one = [];
    for (let k = 0; k < TUBE_SIDES; k++) {
      const next = (k + 1) % TUBE_SIDES, far = k + TUBE_SIDES, farNext = next + TUBE_SIDES;
      one.push(k, next, far, next, farNext, far, TUBE_CORNERS - 2, next, k, TUBE_CORNERS - 1, far, farNext);
    }
    this.triangles = new Uint32Array(count * one.length);
    for (let tube = 0; tube < count; tube++) {
      for (let k = 0; k < one.length; k++) this.triangles[tube * one.length + k] = tube * TUBE_CORNERS + one[k];
    }
  }

  place(vertices, points) {
    const { segments, radius } = this;
    const point = (row) => [vertices[3 * row], vertices[3 * row + 1], vertices[3 * row + 2]];
    for (let tube = 0; tube < segments.length / 2; tube++) {
      const ends = [point(segments[2 * tube]), point(segments[2 * tube + 1])];
      const along = normalise(subtract(ends[1], ends[0]));
      const across = normalise(cross(along, Math.abs(along[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0]));
      const third = cross(across, along);
      let at = 3 * tube * TUBE_CORNERS;
      for (const end of ends) {
        for (let k = 0; k < TUBE_SIDES; k++) {
          const turn = (2 * Math.PI * k) / TUBE_SIDES;
          points.set(add(end, add(times(across, radius * Math.cos(turn)), times(third, radius * Math.sin(turn)))), at);
          at += 3;
        }
      }
      points.set(subtract(ends[0], times(along, radius)), at);
      points.set(add(ends[1], times(along, radius)), at + 3);
    }
  }
}

// Offsets of the two rows on both sides of a time, and how far it lies between them. `now` is a frame and a part.
function pickRows(stream, row, now) {
  const last = stream.length / row - 1;
  const first = clamp(now.frame, 0, last);
  return [first * row, Math.min(first + 1, last) * row, now.part];
}

function mixRows(stream, row, now) {
  const [a, b, s] = pickRows(stream, row, now);
  return Array.from({ length: row }, (_, k) => mix(stream[a + k], stream[b + k], s));
}

// Normals of shared corners, weighted by the area of the triangles around.
function findNormals(points, index, normals) {
  normals.fill(0);
  for (let k = 0; k < index.length; k += 3) {
    const a = 3 * index[k], b = 3 * index[k + 1], c = 3 * index[k + 2];
    const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
    const vx = points[c] - points[a], vy = points[c + 1] - points[a + 1], vz = points[c + 2] - points[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    addNormal(normals, a, nx, ny, nz);
    addNormal(normals, b, nx, ny, nz);
    addNormal(normals, c, nx, ny, nz);
  }
}

function addNormal(normals, at, x, y, z) {
  normals[at] += x;
  normals[at + 1] += y;
  normals[at + 2] += z;
}

class Contacts {
  constructor(about, stream) {
    this.points = stream(about.points);
    this.forces = stream(about.forces);
    this.reference = about.reference;
    const counts = stream(about.counts);
    this.starts = new Uint32Array(counts.length + 1);
    for (let k = 0; k < counts.length; k++) this.starts[k + 1] = this.starts[k] + counts[k];
  }

  // Points and forces of the nearest frame. Of the two that touch, the arrow shows the force on the upper one.
  at(now) {
    const frame = clamp(now.frame + Math.round(now.part), 0, this.starts.length - 2);
    const first = 3 * this.starts[frame], last = 3 * this.starts[frame + 1];
    const forces = this.forces.slice(first, last);
    for (let k = 0; k < forces.length; k += 3) {
      if (forces[k + 1] < 0) for (let i = 0; i < 3; i++) forces[k + i] *= -1;
    }
    return { points: this.points.subarray(first, last), forces, count: (last - first) / 3 };
  }
}
