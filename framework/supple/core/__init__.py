"""Entities, components, arrays, systems and the world that steps them."""
