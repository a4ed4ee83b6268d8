"""Baton: a workspace where people and AI agents hand work to each other."""

__version__ = "0.1.0"
