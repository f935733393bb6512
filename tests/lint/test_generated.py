# SPDX-License-Identifier: Apache-2.0
"""What bindings/generate.py makes of the public headers is what is there. (The stubs of Go need Go: tests/bindings/test_go.py.)"""
import subprocess
import sys

import tree


def main():
    return subprocess.run([sys.executable, str(tree.SOURCE / 'bindings/generate.py'), '--check'], check=False).returncode


if __name__ == '__main__':
    sys.exit(main())
