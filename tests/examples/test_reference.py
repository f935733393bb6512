# SPDX-License-Identifier: Apache-2.0
"""doxygen makes the reference without a warning, and every function, handle and struct of the headers has a comment."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])
MUST_BE_DOCUMENTED = re.compile(r'warning: Compound|\((function|typedef|define|enumeration)\) of file')


def warnings(settings, folder):
    text = (SOURCE / 'docs' / 'Doxyfile').read_text() + f'OUTPUT_DIRECTORY = {folder}\n{settings}'
    done = subprocess.run(['doxygen', '-'], input=text, cwd=SOURCE, capture_output=True, text=True)
    return [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]


def main():
    if not shutil.which('doxygen'):
        print('there is no doxygen')
        return 77
    with tempfile.TemporaryDirectory() as folder:
        problems = warnings('', folder)
        pages = len(list(pathlib.Path(folder, 'html').glob('*.html')))
        bare = warnings('WARN_IF_UNDOCUMENTED = YES\nGENERATE_HTML = NO\nGENERATE_XML = YES\n', folder)
        problems += [line for line in bare if MUST_BE_DOCUMENTED.search(line)]
    if pages < 50:
        problems.append(f'{pages} pages were made')
    print('\n'.join(problems[:100]) or f'{pages} pages')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
