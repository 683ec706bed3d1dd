"""The colours of values from low to high, sRGB from 0 to 1."""

RAMP = [
    [0.20, 0.16, 0.42], [0.19, 0.36, 0.62], [0.16, 0.55, 0.63], [0.35, 0.72, 0.52], [0.76, 0.84, 0.40], [1.0, 0.93, 0.55]
]  # fmt: skip
