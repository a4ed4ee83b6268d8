"""Composition root: settings, addresses, servers. Nothing imports it."""
