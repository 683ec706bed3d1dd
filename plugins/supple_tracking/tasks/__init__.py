"""Points and centres of pressure that shift the pose which is driven to."""
