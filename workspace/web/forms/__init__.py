"""What people type, as plain forms; the rules themselves are in the services."""
