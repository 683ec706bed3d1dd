"""Spheres, boxes, capsules and planes: which of them touch each other, and where."""
