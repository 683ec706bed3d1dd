"""Files that are whole to whoever checks sums, and yet hold what no run wrote."""

from __future__ import annotations

import copy
import io
import json
import random
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

NUMBERS = (0, -1, 1, 2**31, 2**62, 10**9, np.nan, np.inf, -np.inf, 1e300)
PLAIN = (
    None,
    True,
    -1,
    1e308,
    "",
    "\n",
    "../../x",
    [],
    {},
    [[[]]],
    "a" * 5000,
    {"a": {"b": []}},
    2**31,
    2**62,
    10**9,
    0,
    1,
    5126,
    "SCALAR",
    [0, 0, 0],
    [1e300] * 4,
    0.5,
)
GLB, JSON_CHUNK = b"glTF", 0x4E4F534A


def craft_npz(whole: Path, file: Path, source: random.Random) -> None:
    """Change one or two of the arrays of an archive, or let one announce what it does not have."""
    with np.load(whole) as stored:
        arrays = {name: stored[name] for name in stored.files}
    for _ in range(source.randint(1, 2)):
        name = source.choice(sorted(arrays))
        kind = source.randrange(8)
        if kind == 0:
            del arrays[name]
        elif kind == 1:
            arrays[source.choice(("extra", f"{name}x", "../out"))] = arrays[name]
        else:
            arrays[name] = _change(arrays[name], source)
        if not arrays:
            break
    if source.random() < 0.15:
        _announce(arrays, file, source)
        return
    with file.open("wb") as out:
        (np.savez_compressed if source.random() < 0.2 else np.savez)(out, allow_pickle=False, **arrays)


def _announce(arrays: dict[str, np.ndarray], file: Path, source: random.Random) -> None:
    """An archive, packed or not, one of whose arrays says that it is far larger than it is."""
    liar = source.choice(sorted(arrays)) if arrays else ""
    packed = source.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2))
    with zipfile.ZipFile(file, "w", packed) as archive:
        for name, values in arrays.items():
            out = io.BytesIO()
            np.lib.format.write_array(out, np.ascontiguousarray(values), allow_pickle=False)
            content = out.getvalue()
            if name == liar:
                shape = source.choice(((10**9,), (2**40,), (2**62, 4), (-1,), (10**5, 10**5)))
                said = {
                    "descr": source.choice(("<f8", "|O", "<U100000000")),
                    "fortran_order": False,
                    "shape": shape,
                }
                head = io.BytesIO()
                np.lib.format.write_array_header_1_0(head, said)
                content = head.getvalue() + bytes(source.choice((0, 64, 1 << 20)))
            archive.writestr(f"{name}.npy", content)


def craft_h5(whole: Path, file: Path, source: random.Random) -> None:
    """Change one or two of the arrays or attributes of a recording, or let them lead elsewhere."""
    file.write_bytes(whole.read_bytes())
    with h5py.File(file, "r+") as stored:
        names: list[str] = []
        stored.visit(names.append)
        for _ in range(source.randint(1, 2)):
            name = source.choice(["/", *(each for each in sorted(names) if _is_there(stored, each))])
            place = stored[name]
            if name != "/" and source.random() < 0.3:
                _lead_elsewhere(stored, name, source)
            elif len(place.attrs) and source.random() < 0.4:
                value = source.choice([each for each in PLAIN if isinstance(each, str | int | float)])
                place.attrs[source.choice(sorted(place.attrs))] = value
            elif name != "/" and isinstance(place, h5py.Dataset) and place.dtype.kind in "iuf":
                changed, kept = _change(place[()], source), dict(place.attrs)
                del stored[name]
                stored[name] = changed
                stored[name].attrs.update(kept)
            elif name != "/":
                del stored[name]


def _is_there(stored: h5py.File, name: str) -> bool:
    """Whether a name leads to something; links of an earlier change may lead to themselves, or nowhere."""
    try:
        return bool(stored[name])
    except (KeyError, OSError, RuntimeError):
        return False


def _lead_elsewhere(stored: h5py.File, name: str, source: random.Random) -> None:
    """Put something in place of an array that is not there, that lies in another file, or that has no end."""
    was = stored[name]
    numbers = isinstance(was, h5py.Dataset) and was.dtype.kind in "iuf"
    shape, dtype = (was.shape, was.dtype) if numbers else ((10,), np.dtype("f8"))
    kept = dict(was.attrs)
    del stored[name]
    way = source.randrange(8)
    if way == 0:
        stored[name] = h5py.ExternalLink(
            source.choice(("link.h5", "../outside/secret.h5", "/dev/zero")), "/time"
        )
        return
    if way == 1:
        stored[name] = h5py.SoftLink(source.choice(("/time", f"/{name}", "/none")))
        return
    if way == 2:
        raw = [(source.choice(("link.raw", "../outside/secret.raw")), 0, h5py.h5f.UNLIMITED)]
        stored.create_dataset(name, shape, dtype, external=raw)
    elif way == 3:
        layout = h5py.VirtualLayout(shape or (1,), dtype)
        layout[...] = h5py.VirtualSource("link.h5", "time", shape=shape or (1,))
        stored.create_virtual_dataset(name, layout)
    elif way == 4:
        size = source.choice((10**9, 2**40))
        stored.create_dataset(name, (size, *shape[1:]), dtype, chunks=(1024, *shape[1:]), fillvalue=1)
    elif way == 5:
        big = (max(shape[:1], default=1) * 1000, *shape[1:])
        stored.create_dataset(name, data=np.zeros(big, dtype), chunks=True, compression="gzip")
    elif way == 6:
        stored[name] = stored["/"]
        return
    else:
        stored.create_dataset(name, (5,), h5py.string_dtype())
    stored[name].attrs.update(kept)


def craft_json(whole: Path, file: Path, source: random.Random) -> None:
    """Change one to three of the values of results."""
    file.write_bytes(_craft_tree(whole.read_bytes(), source))


def craft_glb(whole: Path, file: Path, source: random.Random) -> None:
    """Change what a binary glTF says of its numbers, and leave the numbers."""
    content = whole.read_bytes()
    size = struct.unpack_from("<I", content, 12)[0]
    tree = _craft_tree(content[20 : 20 + size], source)
    tree += b" " * (-len(tree) % 4)
    rest = content[20 + size :]
    said = source.choice((20 + len(tree) + len(rest), 0, 2**32 - 1)) if source.random() < 0.1 else None
    length = 20 + len(tree) + len(rest) if said is None else said
    file.write_bytes(GLB + struct.pack("<IIII", 2, length, len(tree), JSON_CHUNK) + tree + rest)


def _craft_tree(content: bytes, source: random.Random) -> bytes:
    tree = json.loads(content)
    if source.random() < 0.03:
        return b"[" * 100_000 + b"]" * 100_000
    for _ in range(source.randint(1, 3)):
        places = list(_walk(tree))
        if not places:
            break
        inside, key = source.choice(places)
        if source.random() < 0.2 and isinstance(inside, dict):
            del inside[key]
        elif source.random() < 0.1 and isinstance(inside, list):
            inside.extend(inside * source.choice((1, 100)))
        else:
            inside[key] = copy.deepcopy(source.choice(PLAIN))
    return json.dumps(tree).encode()


def craft_xml(whole: Path, file: Path, source: random.Random) -> None:
    """What XML allows and a robot does not need."""
    text = whole.read_text(encoding="utf-8")
    root = text.find("<mujoco" if "<mujoco" in text else "<robot")
    laughs = "".join(f'<!ENTITY a{k + 1} "{f"&a{k};" * 10}">' for k in range(9))
    way = source.randrange(6)
    if way == 0:
        text = f'<!DOCTYPE x [<!ENTITY a0 "ha">{laughs}]>{text[root:].replace(">", ">&a9;", 1)}'
    elif way == 1:
        text = f'<!DOCTYPE x [<!ENTITY a SYSTEM "link.xml">]>{text[root:].replace(">", ">&a;", 1)}'
    elif way == 2:
        deep = source.choice((100, 5000, 100_000))
        text = text.replace("</", "<body>" * deep + "</body>" * deep + "</", 1)
    elif way == 3:
        name = source.choice(("link.xml", "../outside/secret.xml", file.name, "sub/child.xml", "meshes", ""))
        text = text[:root] + text[root:].replace(">", f'><include file="{name}"/>', 1)
    elif way == 4:
        for _ in range(source.randint(1, 4)):
            numbers = list(re.finditer(r'="([^"]*)"', text))
            chosen = source.choice(numbers)
            value = source.choice(
                ("nan", "1e300", "-1", "0", "", "1 2", "1e9 1e9 1e9", "a" * 5000, "2147483648", "true")
            )
            text = f"{text[: chosen.start(1)]}{value}{text[chosen.end(1) :]}"
    file.write_text(text, encoding="utf-16" if way == 5 else "utf-8")


def _walk(tree: Any) -> Any:
    """All places of a tree, as what holds a value and the key that it has there."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in list(items):
        yield tree, key
        yield from _walk(value)


def _change(values: np.ndarray, source: random.Random) -> np.ndarray:
    """An array of another shape, type or content."""
    kind = source.randrange(6)
    values = np.array(values)
    if kind == 0 and values.dtype.kind in "iuf":
        with np.errstate(all="ignore"):
            return values.astype(source.choice((np.float32, np.int64, np.uint8, np.complex128)))
    if kind == 1:
        return values.reshape(-1)[: source.randrange(values.size + 1)]
    if kind == 2:
        return np.repeat(values.reshape(1, -1), source.choice((2, 100)), axis=0)
    if kind == 3 or values.dtype.kind not in "iuf" or not values.size:
        return np.array(source.choice((b"", b"word", b"\0")))
    if kind == 5:
        with np.errstate(all="ignore"):
            return (values * source.choice((0.0, -1.0, 1e-300, 1e-9, 1e9, 1e150))).astype(values.dtype)
    flat = values.reshape(-1).copy()
    with np.errstate(all="ignore"):
        flat[source.randrange(flat.size)] = np.array(source.choice(NUMBERS)).astype(values.dtype)
    return flat.reshape(values.shape)


CRAFTS: dict[str, Callable[[Path, Path, random.Random], None]] = {
    ".npz": craft_npz,
    ".h5": craft_h5,
    ".json": craft_json,
    ".gltf": craft_json,
    ".glb": craft_glb,
    ".xml": craft_xml,
    ".urdf": craft_xml,
}
