// The page's data: JSON that describes, and bytes that are inflated, summed and scaled. Twin of pack.py.

const FORMAT = 1;
const NAN_CODE = 65535;

async function readRecording() {
  const about = JSON.parse(document.getElementById("about").textContent);
  if (about.format !== FORMAT) throw new Error(`this page has data of format ${about.format}, not ${FORMAT}`);
  const packed = decodeBase64(document.getElementById("frames").textContent);
  const blob = await inflate(packed);
  return { about, stream: (number) => unpack(about.streams[number], blob) };
}

function decodeBase64(text) {
  const clean = text.trim();
  const padding = clean.endsWith("==") ? 2 : clean.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array((clean.length / 4) * 3 - padding);
  const chunk = 1 << 16;
  let at = 0;
  for (let first = 0; first < clean.length; first += chunk) {
    const part = atob(clean.slice(first, first + chunk));
    for (let k = 0; k < part.length; k++) bytes[at++] = part.charCodeAt(k);
  }
  return bytes;
}

async function inflate(bytes) {
  if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old to unpack the page");
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Typed array of all numbers; `.shape` is hung on for convenience.
function unpack(about, blob) {
  const width = about.kind === "u16" ? 2 : 4;
  const count = about.bytes / width;
  const bytes = new Uint8Array(about.bytes);
  for (let plane = 0; plane < width; plane++) {
    const from = about.at + plane * count;
    for (let k = 0; k < count; k++) bytes[k * width + plane] = blob[from + k];
  }
  let values;
  if (about.kind === "f32") values = new Float32Array(bytes.buffer);
  else values = sumRows(width === 2 ? new Uint16Array(bytes.buffer) : new Uint32Array(bytes.buffer), about.shape);
  if (about.step) values = scale(values, about.low, about.step);
  values.shape = about.shape;
  return values;
}

// Every row is stored as its difference from the row before.
function sumRows(codes, shape) {
  const row = shape[0] ? codes.length / shape[0] : 0;
  for (let k = row; k < codes.length; k++) codes[k] += codes[k - row];
  return codes;
}

function scale(codes, low, step) {
  const columns = low.length;
  const values = new Float32Array(codes.length);
  for (let k = 0; k < codes.length; k++) {
    const column = k % columns;
    values[k] = codes[k] === NAN_CODE ? NaN : low[column] + codes[k] * step[column];
  }
  return values;
}
