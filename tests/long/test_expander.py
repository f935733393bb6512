# SPDX-License-Identifier: Apache-2.0
"""examples/karp-expander at length: races, cgo's own checks, random requests, and its benchmark's figures."""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(os.environ['KARP_SOURCE'], 'tests/examples')))
import test_expander  # noqa: E402


def vulnerabilities():
    """Known ones of the modules, where govulncheck is installed and its database can be had (GOVULNDB may name a folder)."""
    if not shutil.which('govulncheck'):
        print('skipped: there is no govulncheck')
        return True
    database = ['-db', os.environ['GOVULNDB']] if 'GOVULNDB' in os.environ else []
    done = subprocess.run(['govulncheck', *database, './...'], cwd=test_expander.EXPANDER, env=test_expander.test_go.environment(),
                          capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr, sep='')
    if 'fetching vulnerabilities' in done.stderr:
        print('skipped: the database of vulnerabilities cannot be reached; nothing was checked')
        return True
    return done.returncode == 0


def main():
    skip = test_expander.reason_to_skip()
    if skip:
        print(skip)
        return 77

    go = test_expander.go
    passed = [go('test', '-count=1', '-race', './...'),
              go('test', '-count=1', './...', GOEXPERIMENT='cgocheck2'),
              go('test', '-run=none', '-fuzz=FuzzDecide', '-fuzztime=60s', '-fuzzminimizetime=1x', '.'),
              go('test', '-count=1', '-run=TestSoak', '-v', '-timeout=20m', '.', KARP_SOAK=os.environ.get('KARP_SOAK', '10m')),
              go('test', '-run=none', '-bench=.', '-benchtime=3x', '.'), vulnerabilities()]
    return 0 if all(passed) else 1


if __name__ == '__main__':
    sys.exit(main())
