"""What every test shares. The database server is started by tests.settings, before Django reads it."""

pytest_plugins = ["tests.cast"]
