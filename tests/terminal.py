#!/usr/bin/env python3
"""terminal.py in|out COMMAND...: runs it with a terminal as standard input or
output and ends with its status; 77 where the machine has no pseudo-terminals.
Its stderr is passed on."""
import os
import pty
import subprocess
import sys

try:
    master, slave = pty.openpty()
except OSError as e:
    sys.exit(print(e, file=sys.stderr) or 77)
other = subprocess.DEVNULL
ends = (slave, other) if sys.argv[1] == "in" else (other, slave)
r = subprocess.run(sys.argv[2:], stdin=ends[0], stdout=ends[1], timeout=20)
sys.exit(r.returncode)
