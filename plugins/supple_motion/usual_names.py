"""What joints are usually called in motion files, and the bones of a figure that they move."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: By bone of a figure: names of CMU (and most BVH files), Mixamo and SMPL, without case, signs and prefix; `*` is the
#: side. Of several that a file has, the first named moves the bone.
USUAL = {
    "pelvis": ("hips", "hip", "pelvis", "root"),
    "abdomen": ("spine1", "lowerback", "spine"),
    "chest": ("spine3", "spine2", "chest", "spine1", "spine"),
    "neck": ("neck", "neck1"),
    "head": ("head",),
    "*_upper_arm": ("*arm", "*uparm", "*upperarm", "*shoulder"),
    "*_forearm": ("*forearm", "*lowerarm", "*elbow"),
    "*_hand": ("*hand", "*wrist"),
    "*_thigh": ("*upleg", "*upperleg", "*thigh", "*hip"),
    "*_shank": ("*leg", "*lowleg", "*lowerleg", "*shin", "*knee"),
    "*_foot": ("*foot", "*ankle"),
    "*_toes": ("*toebase", "*toe", "*toes"),
}
_PREFIX = re.compile(r"^(mixamorig\d*|bip\d+|smpl\w*|[mf]_avg)[:_ ]", re.IGNORECASE)


def find_usual(joints: Sequence[str], bones: Sequence[str]) -> dict[str, str]:
    """The path of a bone for every joint, empty where none is meant; each bone at most once."""
    plain = {_simplify(name): name for name in reversed(joints)}
    by_name = {bone.rpartition("/")[2]: bone for bone in bones}
    told = dict.fromkeys(joints, "")
    # SMPL calls foot what others call toes: with an ankle, the foot is not the foot.
    ankles = any(_simplify(name) in ("leftankle", "rightankle") for name in joints)
    for bone, words in USUAL.items():
        for side in ("left", "right") if "*" in bone else ("",):
            path = by_name.get(bone.replace("*", side))
            found = [plain[word.replace("*", side)] for word in words if word.replace("*", side) in plain]
            if ankles and bone == "*_foot":
                found = [plain[f"{side}ankle"]] if f"{side}ankle" in plain else []
            if ankles and bone == "*_toes":
                found = [plain[f"{side}foot"]] if f"{side}foot" in plain else []
            taken = next((name for name in found if not told[name]), None)
            if path is not None and taken is not None:
                told[taken] = path
    return told


def _simplify(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", _PREFIX.sub("", name).rpartition(":")[2].lower())
