# SPDX-License-Identifier: Apache-2.0
"""The notebooks of examples/ compute the tables of the docs: in Jupyter where nbconvert is installed, else their cells as they are."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE, BUILD = pathlib.Path(os.environ['KARP_SOURCE']), pathlib.Path(os.environ['KARP_BUILD'])
NOTEBOOKS = {'examples/replay/consolidation.ipynb': 'docs/replay.md', 'examples/cost/effort.ipynb': 'docs/cost.md'}


def plain(notebook):
    names = {}
    for cell in json.loads(notebook.read_text(encoding='utf-8'))['cells']:
        if cell['cell_type'] == 'code':
            exec(compile(''.join(cell['source']), cell['id'], 'exec'), names)
    return names['figure']


def in_jupyter(notebook):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, '-m', 'nbconvert', '--to', 'notebook', '--execute', '--output-dir', folder, str(notebook)], check=True)
        done = json.loads((pathlib.Path(folder) / notebook.name).read_text(encoding='utf-8'))
    return ''.join(''.join(output.get('text', '')) for cell in done['cells'] for output in cell.get('outputs', [])).strip()


def main():
    library = next((BUILD / 'lib').glob('libkarp-io.so.1'), None)
    if library is None or b'__asan_init' in library.read_bytes():
        print('there are no shared libraries that this interpreter could load')
        return 77
    if 'KARP_LIBRARY' not in os.environ:
        environment = {**os.environ, 'KARP_LIBRARY': str(BUILD / 'lib'), 'PYTHONPATH': str(SOURCE / 'bindings/python')}
        return subprocess.run([sys.executable, __file__], env=environment, cwd=SOURCE).returncode
    missing = sorted(path.relative_to(SOURCE).as_posix() for path in (SOURCE / 'examples').rglob('*.ipynb'))
    assert missing == sorted(NOTEBOOKS), f'notebooks that no test runs: {missing}'
    compute = in_jupyter if importlib.util.find_spec('nbconvert') else plain
    for name, page in NOTEBOOKS.items():
        figure = compute(SOURCE / name)
        assert figure in (SOURCE / page).read_text(encoding='utf-8'), f'{page} does not have:\n{figure}'
    print(f'{len(NOTEBOOKS)} passed, 0 failed')
    return 0


sys.exit(main())
