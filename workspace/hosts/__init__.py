"""What an agent host installs: one folder of files for each host, and one handler that they all call."""
