# SPDX-License-Identifier: Apache-2.0
"""examples/sweep on dask: rows, the picture, and what the engine costs."""
import sys

import sweep_engines


def then(python, folder):
    picture = folder / 'plot.png'
    sweep_engines.run(python, folder, 'sweep.py', '--nodes', '10', '--plot', picture)
    data = picture.read_bytes()
    assert data.startswith(b'\x89PNG') and len(data) > 10_000, len(data)
    sweep_engines.run(python, folder, 'overhead.py', 'dask', '--check')


sys.exit(sweep_engines.compare('dask', ['distributed', 'matplotlib'], then))
