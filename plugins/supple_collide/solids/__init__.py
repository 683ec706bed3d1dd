"""Convex solids with rims: cylinders with planes, with each other, and with all other primitives."""
