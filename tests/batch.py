#!/usr/bin/env python3
"""batch.py SCRIPT: runs the main() of a script once for each line of standard
input, which has the arguments, and perhaps <FILE and >FILE, as a shell takes
them. One start of Python for all. Ends with status 1 at the first run that
answers neither None nor 0, and says which that was."""
import gc
import importlib.util
import os
import shlex
import sys


def load(path):
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location("script", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(script, words):
    args = [w for w in words if w[0] not in "<>"]
    sys.argv = [sys.argv[0]] + args
    files = {w[0]: w[1:] for w in words if w[0] in "<>"}
    old = sys.stdin, sys.stdout
    try:
        if "<" in files:
            sys.stdin = open(files["<"], encoding="utf-8")
        if ">" in files:
            sys.stdout = open(files[">"], "w", encoding="utf-8")
        return script.main()
    except SystemExit as e:
        return e.code
    finally:
        for new, was in zip((sys.stdin, sys.stdout), old):
            if new is not was:
                new.close()
        sys.stdin, sys.stdout = old


def main():
    gc.disable()  # many objects, few in circles
    script = load(sys.argv[1])
    for line in sys.stdin.read().split("\n"):
        words = shlex.split(line)
        if words and run(script, words):
            sys.exit("%s: failed: %s" % (sys.argv[0], line))


main()
