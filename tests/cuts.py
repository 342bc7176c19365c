#!/usr/bin/env python3
"""cuts.py bytes|lines|blocks FILE COMMAND...

Runs the command on FILE cut at every byte, line or 512 bytes, as its last
operand but for what TL_AFTER holds. Each run must end with status 1, one line
on stderr that begins with the command's name, and no end record on stdout.
White space that is missing at the end of a JSON text is no cut, and what is
missing behind its last array, the events, may cost a warning only.
"""
import os
import subprocess
import sys


def main():
    how, path, *command = sys.argv[1:]
    after = [os.environ['TL_AFTER']] if 'TL_AFTER' in os.environ else []
    data = open(path, 'rb').read()
    whole = needed = len(data)
    if path.endswith('.json'):
        whole = len(data.rstrip())
        needed = data.rfind(b']') + 1
    if how == 'bytes':
        ends = range(1, whole)
    elif how == 'lines':
        ends = [i + 1 for i in range(whole - 1) if data[i] == 10]
    else:
        ends = sorted(set(range(512, whole, 512)) | {1, 15, 16, 99, 100, 101, whole - 1})
    bad = 0
    name = command[0].encode()
    cut = 'cut' + os.path.splitext(path)[1]
    for end in ends:
        with open(cut, 'wb') as f:
            f.write(data[:end])
        p = subprocess.run(command + [cut] + after, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        lines = p.stderr.splitlines()
        if end >= needed and p.returncode == 0 and b'\nnote\twarn\t' in p.stdout:
            continue
        if (p.returncode != 1 or len(lines) != 1 or not lines[0].startswith(name + b': ')
                or b'\nend\t' in p.stdout):
            bad += 1
            print(f'cut at {end} of {whole}: status {p.returncode}')
            sys.stdout.write(p.stderr.decode(errors='backslashreplace')[:400])
            if bad == 5:
                break
    os.unlink(cut)
    if not ends:
        print('nothing to cut')
    return bad > 0 or not ends


sys.exit(main())
