"""The headless runner and the command line."""
