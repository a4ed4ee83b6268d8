"""The OAuth 2.1 authorization server: what stands beside the library that does the protocol."""
