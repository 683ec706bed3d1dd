"""Numbers for the player in few bytes: quantised, differenced from frame to frame, split into planes of bytes.

Neighbouring frames are alike, so the differences are small and the planes of their high bytes nearly all zero: the
compression that follows makes little of them. `unpack` is the inverse, and `player/decode.js` its twin.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from supple.core.arrays import Array

#: The code of nan among 16-bit numbers; the others use 0 to 65534.
NAN_CODE = 65535
_WHOLE = {"u16": np.dtype("<u2"), "u32": np.dtype("<u4")}
#: Bits of a float32 that are cleared when four digits suffice: the whole lowest byte.
_ROUGH_BITS = 8


class Packer:
    """Streams of numbers one after another. Each `add_*` gives the number of its stream; equal ones are kept once."""

    def __init__(self) -> None:
        self.streams: list[dict[str, Any]] = []
        self._parts: list[bytes] = []
        self._known: dict[bytes, int] = {}
        self._size = 0

    @property
    def blob(self) -> bytes:
        """The bytes of all streams."""
        return b"".join(self._parts)

    def add_within(self, values: Array, tolerance: float) -> int:
        """Numbers [frames, ...] to within `tolerance`: 16 bits each where that is enough, else float32.

        What is not finite becomes nan in 16 bits.
        """
        rows = np.asarray(values, np.float32)
        rows = rows.reshape(len(rows), -1, rows.shape[-1] if rows.ndim > 1 else 1)
        low, high = _find_range(rows)
        span = high - low
        if not np.isfinite(span).all() or float(span.max()) > 2 * tolerance * (NAN_CODE - 1):
            return self.add_exact(values)
        step = np.where(span > 0, span, 1.0) / (NAN_CODE - 1)
        codes = np.empty(rows.shape, np.uint16)
        # Frame by frame: a large recording has no room for several copies.
        for row, code in zip(rows, codes, strict=True):
            scaled = np.rint((row - low) / step)
            code[...] = np.where(np.isfinite(scaled), scaled, NAN_CODE)
        return self._add("u16", values.shape, codes, low=low.tolist(), step=step.tolist())

    def add_whole(self, values: Array) -> int:
        """Whole numbers from 0 to 2^32 - 1, exactly."""
        return self._add("u32", values.shape, np.asarray(values, np.uint32))

    def add_exact(self, values: Array) -> int:
        """Numbers as float32."""
        return self._add("f32", values.shape, np.asarray(values, np.float32).view(np.uint32))

    def add_rough(self, values: Array) -> int:
        """Numbers as float32 with 15 significant bits: four digits and a half, whatever their size."""
        bits = np.array(values, np.float32).view(np.uint32)
        finite = np.isfinite(bits.view(np.float32))
        half, keep = np.uint32(1 << (_ROUGH_BITS - 1)), np.uint32(0xFFFFFFFF >> _ROUGH_BITS << _ROUGH_BITS)
        return self._add("f32", values.shape, np.where(finite, bits + half, bits) & keep)

    def _add(self, kind: str, shape: tuple[int, ...], codes: Array, **scale: Any) -> int:
        if kind in _WHOLE:
            codes = _difference(codes.reshape(shape[0], -1) if len(shape) else codes.reshape(1, -1))
        packed = _split_planes(codes)
        about = {"kind": kind, "shape": list(shape), **scale}
        key = hashlib.sha256(packed + repr(about).encode()).digest()
        if key not in self._known:
            self._known[key] = len(self.streams)
            self.streams.append({**about, "at": self._size, "bytes": len(packed)})
            self._parts.append(packed)
            self._size += len(packed)
        return self._known[key]


def unpack(stream: dict[str, Any], blob: bytes) -> Array:
    """The numbers of a stream, as the player gets them."""
    part = np.frombuffer(blob, np.uint8, stream["bytes"], stream["at"])
    kind, shape = stream["kind"], stream["shape"]
    width = 2 if kind == "u16" else 4
    codes = np.ascontiguousarray(part.reshape(width, -1).T).view(f"<u{width}").reshape(shape)
    if kind == "f32":
        return codes.view(np.float32)
    codes = np.cumsum(codes, axis=0, dtype=codes.dtype)
    if "step" not in stream:
        return codes
    columns = codes.reshape(*shape[:-1], -1) if len(shape) > 1 else codes.reshape(-1, 1)
    values = np.asarray(stream["low"]) + columns * np.asarray(stream["step"])
    return np.where(columns == NAN_CODE, np.nan, values).reshape(shape).astype(np.float32)


def _find_range(rows: Array) -> tuple[Array, Array]:
    """Lowest and highest finite number [columns] of [frames, n, columns]; inf and -inf if there is none."""
    low, high = np.full(rows.shape[-1], np.inf), np.full(rows.shape[-1], -np.inf)
    for row in rows:
        finite = np.isfinite(row)
        low = np.minimum(low, np.min(row, axis=0, where=finite, initial=np.inf))
        high = np.maximum(high, np.max(row, axis=0, where=finite, initial=-np.inf))
    return low, high


def _difference(codes: Array) -> Array:
    """Each row less the one before, modulo the range of the type."""
    changes = codes.copy()
    changes[1:] -= codes[:-1]
    return changes


def _split_planes(codes: Array) -> bytes:
    """First the low bytes of all numbers, then the next ones, and so on."""
    width = codes.dtype.itemsize
    little = np.ascontiguousarray(codes).astype(codes.dtype.newbyteorder("<"))
    return np.ascontiguousarray(little.reshape(-1, 1).view(np.uint8).reshape(-1, width).T).tobytes()
