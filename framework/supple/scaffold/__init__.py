"""Writing new plugins."""
