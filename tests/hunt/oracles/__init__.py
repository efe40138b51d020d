"""Oracles: what answers must be, from documentation and textbooks."""
