# SPDX-License-Identifier: Apache-2.0
"""examples/karp-expander at length: races, cgo's own checks, random requests, and its benchmark's figures."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(os.environ['KARP_SOURCE'], 'tests/examples')))
import test_expander  # noqa: E402


def main():
    skip = test_expander.reason_to_skip()
    if skip:
        print(skip)
        return 77

    go = test_expander.go
    passed = [go('test', '-count=1', '-race', './...'),
              go('test', '-count=1', './...', GOEXPERIMENT='cgocheck2'),
              go('test', '-run=none', '-fuzz=FuzzDecide', '-fuzztime=60s', '-fuzzminimizetime=1x', '.'),
              go('test', '-run=none', '-bench=.', '-benchtime=3x', '.')]
    return 0 if all(passed) else 1


if __name__ == '__main__':
    sys.exit(main())
