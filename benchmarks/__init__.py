"""Scripts that measure. Tests assert behaviour; speed is measured here."""
