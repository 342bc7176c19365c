#!/usr/bin/env python3
"""faults.py PRELOAD CALL OUT COMMAND...

Runs the command again and again, the Nth CALL failing (see preload.c), N from
1 until there is no Nth call; past the first 60, fewer and fewer of them. OUT
is - for stdout or a file that is given to -o. Each run must either end with
status 1 and one line on stderr that begins with the command's name, the output
file as before; or, where the failure could be made up for, with what a run
without failure gives. For the calls short and eintr, only the latter.
"""
import os
import subprocess
import sys

OLD = b'before\n'


def content(path):
    try:
        return open(path, 'rb').read()
    except FileNotFoundError:
        return None


def main():
    preload, call, out, *command = sys.argv[1:]
    if out != '-':
        command = command[:-1] + ['-o', out] + command[-1:]

    if 'TL_AFTER' in os.environ:  # what stands behind the input
        command.append(os.environ['TL_AFTER'])

    def run(n):
        env = dict(os.environ, LD_PRELOAD=preload, TL_FAIL_PROG=command[0], TL_FAIL_CALL=call,
                   TL_FAIL_AT=str(n), TL_FAIL_LOG='faults.hit')
        if os.path.exists('faults.hit'):
            os.unlink('faults.hit')
        if out != '-':
            with open(out, 'wb') as f:
                f.write(OLD)
        p = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, timeout=60)
        hit = os.path.exists('faults.hit')
        return p, (p.stdout if out == '-' else content(out)), hit

    usual, want, hit = run(1 << 40)
    if usual.returncode != 0 or hit:
        print('fails without a fault', usual.stderr)
        return 1
    n = hits = bad = 0
    while bad < 5:
        n += 1 if n < 60 else 1 + n // 20
        p, got, hit = run(n)
        if not hit:
            break
        hits += 1
        lines = p.stderr.splitlines()
        made_up = p.returncode == 0 and got == want and p.stderr == usual.stderr
        honest = (p.returncode == 1 and len(lines) == 1
                  and lines[0].startswith(command[0].encode() + b': ')
                  and (out == '-' or got in (OLD, want)))
        if call in ('short', 'eintr'):
            honest = False
        if not (made_up or honest):
            bad += 1
            print(f'{call} {n}: status {p.returncode}, '
                  f'{"usual" if got == want else "other"} output')
            sys.stdout.write(p.stderr.decode(errors='backslashreplace')[:400])
    print(f'{call}: {hits} faults')
    if out != '-' and os.path.exists(out):
        os.unlink(out)
    return bad > 0 or (hits == 0 and call not in ('short', 'fsync', 'rename', 'mkstemp'))


sys.exit(main())
