"""Who decides: features, the weighted family, and presets as data."""
