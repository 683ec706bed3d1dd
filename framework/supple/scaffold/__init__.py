"""Writing new plugins."""

#: The kinds of plugins that can be written, and what the one that is written does.
KINDS = {
    "system": "air that blows against bodies",
    "controller": "a slow controller that holds bodies in their places",
    "mechanism": "jelly, cubes of point masses and springs that touch",
    "solver": "a projected fixed-point iteration",
    "importer": "balls that are read from a file",
}
