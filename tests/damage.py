"""Changes that make good files bad: those that authors make, those that disks make, and those that are meant."""

from __future__ import annotations

import random
import re
import struct

VALUES = [
    "0", "-1", "1e9", "1e-12", "nan", "inf", '"word"', "true", "[1, 2]", "[]", "{}", "[1, 2, 3, 4]",
    "2026-01-01", "9" * 30, '""', '"../x"', "1e-300", "-0.0", "1e200", "2e9", "-1e300", "0x7fffffffffffffff",
    '"a\\u0000b"', f'"{"a" * 5000}"', "[" * 300 + "]" * 300, "[0, 0, 0]", "[nan, inf, 0]", "1e18",
]  # fmt: skip


def mutate_text(text: str, source: random.Random) -> str:
    """One to three changes of the kinds that authors make: typos, lost lines, wrong values, swapped lines."""
    original, changes = text, source.choice((1, 1, 1, 2, 3))
    while changes > 0 or text == original:
        changes -= 1
        lines = text.splitlines() or [""]
        at = source.randrange(len(lines))
        # Values most often: they get farther than what is no TOML.
        kind = source.choice((0, 1, 2, 2, 2, 3, 4, 5, 5, 5, 6))
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, lines[source.randrange(len(lines))])
        elif kind == 2:
            lines[at] = re.sub(r"-?\d+(\.\d+)?(e-?\d+)?", lambda _: source.choice(VALUES), lines[at], count=1)
        elif kind == 3:
            words = re.findall(r"[a-z_]{3,}", lines[at])
            if words:
                word = source.choice(words)
                lines[at] = lines[at].replace(word, word[1:] + word[0], 1)
        elif kind == 4 and lines[at]:
            place = source.randrange(len(lines[at]))
            lines[at] = lines[at][:place] + source.choice('[]{}=",.#\\ax0é\t') + lines[at][place + 1 :]
        elif kind == 5:
            lines[at] = re.sub(r"= .*", lambda _: f"= {source.choice(VALUES)}", lines[at], count=1)
        else:
            other = source.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        text = "\n".join(lines) + "\n"
    return text


def rename_files(text: str, source: random.Random, outside: str) -> str:
    """Let one of the names of files in a text lead out of its folder, or nowhere; one is made up if there is none."""
    names = list(re.finditer(r'"([^"\n]*)(\.[a-z]{3,4})"', text))
    if not names:
        return text.replace("\n", f"\nmtllib ../{outside}/secret.mtl\n", 1)
    chosen = source.choice(names)
    secret = f"secret{chosen[2]}"
    ways = (
        f"../{outside}/{secret}", f"sub/../../{outside}/{secret}", f"link{chosen[2]}", f"file://../{outside}/{secret}",
        f"package://../{outside}/{secret}", f"..%2f{outside}%2f{secret}", f"..\\{outside}\\{secret}", "con.obj",
        "x" * 300 + ".obj", ".", "/dev/zero", "a\0b.obj",
    )  # fmt: skip
    return f'{text[: chosen.start()]}"{source.choice(ways)}"{text[chosen.end() :]}'


def damage_bytes(whole: bytes, source: random.Random) -> bytes:
    """One to four changes: flipped bits, lost or doubled stretches, an early end, numbers that are too large."""
    changed = bytearray(whole)
    for _ in range(source.randint(1, 4)):
        at = source.randrange(max(1, len(changed)))
        length = min(source.choice((1, 4, 8, 64, 4096)), len(changed) - at)
        kind = source.randrange(6)
        if kind == 0 and changed:
            changed[at] ^= 1 << source.randrange(8)
        elif kind == 1:
            changed[at : at + length] = source.randbytes(length)
        elif kind == 2:
            del changed[at : at + length]
        elif kind == 3:
            changed[at:at] = changed[at : at + length]
        elif kind == 4:
            number = source.choice((0, 1, 2**31 - 1, 2**31, 2**63 - 1, 2**64 - 1, 10**6))
            changed[at : at + 8] = struct.pack("<Q", number)
        else:
            del changed[at:]
    return bytes(changed)
