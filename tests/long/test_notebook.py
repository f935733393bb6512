# SPDX-License-Identifier: Apache-2.0
"""examples/replay/consolidation.ipynb computes the table of docs/replay.md: in Jupyter where nbconvert is installed, else its cells as they are."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE, BUILD = pathlib.Path(os.environ['KARP_SOURCE']), pathlib.Path(os.environ['KARP_BUILD'])
NOTEBOOK = SOURCE / 'examples/replay/consolidation.ipynb'


def plain():
    names = {}
    for cell in json.loads(NOTEBOOK.read_text(encoding='utf-8'))['cells']:
        if cell['cell_type'] == 'code':
            exec(compile(''.join(cell['source']), cell['id'], 'exec'), names)
    return names['figure']


def in_jupyter():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, '-m', 'nbconvert', '--to', 'notebook', '--execute', '--output-dir', folder, str(NOTEBOOK)], check=True)
        done = json.loads((pathlib.Path(folder) / NOTEBOOK.name).read_text(encoding='utf-8'))
    return ''.join(''.join(output.get('text', '')) for cell in done['cells'] for output in cell.get('outputs', [])).strip()


def main():
    library = next((BUILD / 'lib').glob('libkarp-io.so.0'), None)
    if library is None or b'__asan_init' in library.read_bytes():
        print('there are no shared libraries that this interpreter could load')
        return 77
    if 'KARP_LIBRARY' not in os.environ:
        environment = {**os.environ, 'KARP_LIBRARY': str(BUILD / 'lib'), 'PYTHONPATH': str(SOURCE / 'bindings/python')}
        return subprocess.run([sys.executable, __file__], env=environment, cwd=SOURCE).returncode
    text = (SOURCE / 'docs/replay.md').read_text(encoding='utf-8')
    figure = in_jupyter() if importlib.util.find_spec('nbconvert') else plain()
    assert figure in text, f'docs/replay.md does not have:\n{figure}'
    print('1 passed, 0 failed')
    return 0


sys.exit(main())
