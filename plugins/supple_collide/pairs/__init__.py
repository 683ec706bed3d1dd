"""Pairs of objects of which one or both are meshes: the contacts of their features, and the choice among them."""
