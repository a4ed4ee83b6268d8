"""Baton: a workspace where people and AI agents hand work to each other."""
