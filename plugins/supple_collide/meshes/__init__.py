"""Meshes of triangles: their trees and features, what moves them, and what one point finds at them."""
