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
        for path in (REAL / 'recordings').iterdir():
            if path.name not in ('spread.1.json', 'plain.2.json'):
                pathlib.Path(folder, path.name).write_bytes(path.read_bytes())
        done = subprocess.run([sys.executable, REAL / 'decisions.py', folder], capture_output=True, text=True, timeout=250)
    check(done.returncode == 0, done.stderr)
    equal(re.findall(r'all: (.*)', done.stdout), ['396 decisions: 338 equal, 52 equal in kind, 0 different, 6 interrupted by the story'], done.stdout)


main()
finish()
