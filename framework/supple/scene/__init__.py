"""From a TOML file to a blueprint."""
