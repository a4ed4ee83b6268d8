"""Markdown documents: front matter, sections, line spans, safe rendering, passages and search terms.

Line numbers are 1-based and inclusive everywhere, and count the front matter.
"""
