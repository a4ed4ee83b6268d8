"""One function for each page and verb."""
