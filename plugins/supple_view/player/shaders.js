// GLSL. Colours are linear until the last line of each fragment shader.

const SHADER_HEAD = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
`;

// How much sunlight reaches a point: sixteen looks at the depth seen from the sun, each already a mean of four.
const SHADER_LIGHT = `
uniform mat4 sun;
uniform vec3 sunDirection;
uniform float texel;            // side of a texel of the shadow map [m]
uniform sampler2DShadow shadows;

float sunlight(vec3 p, vec3 n, float softness) {
  vec4 seen = sun * vec4(p + n * texel * 2.5 + sunDirection * texel, 1.0);
  vec3 at = seen.xyz * 0.5 + 0.5;
  vec2 inside = 1.0 - smoothstep(0.42, 0.5, abs(at.xy - 0.5));
  float size = softness / float(textureSize(shadows, 0).x);
  float sum = 0.0;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      sum += texture(shadows, vec3(at.xy + (vec2(i, j) - 1.5) * size, at.z));
  return mix(1.0, sum / 16.0, inside.x * inside.y);
}
vec3 toScreen(vec3 linear) {
  vec3 c = clamp(linear, 0.0, 1.0);
  return mix(c * 12.92, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}
`;

const THING_VERTEX = `${SHADER_HEAD}
layout(location = 0) in vec3 point;
layout(location = 1) in vec3 normal;
layout(location = 2) in float value;
uniform mat4 camera, model;
out vec3 world, facing;
out float shade;
void main() {
  vec4 p = model * vec4(point, 1.0);
  world = p.xyz;
  facing = mat3(model) * normal;
  shade = value;
  gl_Position = camera * p;
}`;

const THING_FRAGMENT = `${SHADER_HEAD}${SHADER_LIGHT}
uniform vec3 colour, eye;
uniform bool coloured;
uniform float opacity;
uniform sampler2D ramp;
in vec3 world, facing;
in float shade;
out vec4 pixel;
void main() {
  vec3 n = normalize(facing);
  vec3 towards = normalize(eye - world);
  if (dot(n, towards) < 0.0) n = -n;
  vec3 base = colour;
  if (coloured && shade >= 0.0) base = texture(ramp, vec2(clamp(shade, 0.0, 1.0) * 0.996 + 0.002, 0.5)).rgb;
  float straight = dot(n, sunDirection);
  float direct = max(straight, 0.0) * sunlight(world, n, 1.4);
  vec3 sky = mix(vec3(0.30, 0.28, 0.27), vec3(0.52, 0.56, 0.62), n.y * 0.5 + 0.5);
  float fill = max(dot(n, normalize(vec3(-0.7, 0.25, -0.4))), 0.0) * 0.12;
  vec3 halfway = normalize(towards + sunDirection);
  float gloss = pow(max(dot(n, halfway), 0.0), 48.0) * 0.12 * step(0.0, straight) * direct;
  float edge = pow(1.0 - max(dot(n, towards), 0.0), 3.0) * 0.10;
  vec3 light = sky + fill + direct * vec3(0.88, 0.85, 0.79);
  pixel = vec4(toScreen(base * light + gloss + edge * sky), opacity);
}`;

const SHADOW_VERTEX = `${SHADER_HEAD}
layout(location = 0) in vec3 point;
uniform mat4 camera, model;
void main() { gl_Position = camera * model * vec4(point, 1.0); }`;

const SHADOW_FRAGMENT = `${SHADER_HEAD}
void main() {}`;

// Ground without end: a square around the place looked at, whose rim fades into the background.
const GROUND_VERTEX = `${SHADER_HEAD}
layout(location = 0) in vec3 point;
uniform mat4 camera, model;
uniform vec2 middle;
uniform float reach;
out vec3 world;
out vec2 along;
void main() {
  along = middle + point.xz * reach;
  vec4 p = model * vec4(along.x, 0.0, along.y, 1.0);
  world = p.xyz;
  gl_Position = camera * p;
}`;

const GROUND_FRAGMENT = `${SHADER_HEAD}${SHADER_LIGHT}
uniform vec3 colour, up;
uniform vec2 middle;
uniform float reach, spacing, opacity;
in vec3 world;
in vec2 along;
out vec4 pixel;
float lines(vec2 p, float width) {
  vec2 blur = fwidth(p);
  vec2 near = abs(fract(p - 0.5) - 0.5);
  vec2 drawn = 1.0 - smoothstep(vec2(width), vec2(width) + blur * 1.5, near);
  drawn *= 1.0 - smoothstep(0.2, 0.7, blur);
  return max(drawn.x, drawn.y);
}
void main() {
  float far = length(along - middle) / reach;
  float fade = 1.0 - smoothstep(0.15, 0.95, far);
  float grid = max(lines(along / spacing, 0.0) * 0.35, lines(along / spacing / 5.0, 0.0) * 0.6);
  float direct = max(dot(up, sunDirection), 0.0) * sunlight(world, up, 2.6);
  vec3 light = vec3(0.50, 0.53, 0.58) + direct * vec3(0.78, 0.75, 0.70);
  vec3 base = mix(colour, colour * 0.62, grid * (1.0 - far));
  pixel = vec4(toScreen(base * light), fade * opacity);
}`;

const SKY_VERTEX = `${SHADER_HEAD}
out float height;
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  height = corner.y;
  gl_Position = vec4(corner, 1.0, 1.0);
}`;

const SKY_FRAGMENT = `${SHADER_HEAD}
uniform vec3 top, bottom;
in float height;
out vec4 pixel;
void main() { pixel = vec4(mix(bottom, top, smoothstep(-0.6, 1.0, height)), 1.0); }`;

// An arrow's shape: x is the radius and y the place along, of its shaft (z = 0) or its head (z = 1); w the angle.
const ARROW_VERTEX = `${SHADER_HEAD}
layout(location = 0) in vec4 shape;
layout(location = 1) in vec3 base;
layout(location = 2) in vec3 force;
uniform mat4 camera;
uniform float scale, width, longest;
out vec3 facing;
void main() {
  float size = length(force);
  vec3 d = force / max(size, 1e-20);
  float reach = min(size * scale, longest);
  float thick = width * clamp(reach / (8.0 * width), 0.35, 1.0);
  float head = min(3.6 * thick, 0.6 * reach);
  float along = shape.z > 0.5 ? reach - head + shape.y * head : shape.y * (reach - head);
  vec3 u = normalize(cross(d, abs(d.y) < 0.9 ? vec3(0, 1, 0) : vec3(1, 0, 0)));
  vec3 around = u * cos(shape.w) + cross(d, u) * sin(shape.w);
  facing = around + d * 0.35 * shape.z;
  gl_Position = camera * vec4(base + d * along + around * shape.x * thick, 1.0);
}`;

const ARROW_FRAGMENT = `${SHADER_HEAD}
uniform vec3 colour, sunDirection;
uniform float opacity;
in vec3 facing;
out vec4 pixel;
void main() {
  float light = 0.72 + 0.32 * dot(normalize(facing), sunDirection);
  pixel = vec4(colour * light, opacity);
}`;
