# SPDX-License-Identifier: Apache-2.0
"""What Karpenter decided in a recording of a real control plane is what karp plan and karp disrupt decide for the cluster just before it."""
import pathlib
import re
import subprocess
import sys
import tempfile

from stories import check, equal, finish

REAL = pathlib.Path(__file__).parents[1] / 'real'


def main():
    try:
        import yaml  # noqa: F401  # stories are YAML
    except ImportError:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        for name in ('plain.yaml', 'plain.1.json', 'types.json'):
            pathlib.Path(folder, name).write_bytes((REAL / 'recordings' / name).read_bytes())
        done = subprocess.run([sys.executable, REAL / 'decisions.py', folder], capture_output=True, text=True, timeout=250)
    check(done.returncode == 0, done.stderr)
    equal(re.findall(r'all: (.*)', done.stdout), ['8 decisions: 8 equal, 0 equal in kind, 0 different'], done.stdout)


main()
finish()
