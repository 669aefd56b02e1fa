"""Compiled loops that play many games at once."""
