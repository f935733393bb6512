# SPDX-License-Identifier: Apache-2.0
"""docs/notice.md names the origin, date and licence of every embedded table, as the table's own README does."""
import os
import pathlib
import sys

SOURCE = pathlib.Path(os.environ.get('KARP_SOURCE', pathlib.Path(__file__).parents[2]))


def main():
    notice = SOURCE.joinpath('docs/notice.md').read_text(encoding='utf-8').splitlines()
    folders = sorted(SOURCE.glob('lib/providers/*/data'))
    wrong = [] if folders else ['there are no tables']
    for folder in folders:
        cloud, readme = folder.parent.name, folder / 'README.md'
        lines = readme.read_text(encoding='utf-8').splitlines() if readme.exists() else []
        rows = [line for line in lines if line.startswith('| ') and not line.startswith(('| what', '| ---'))]
        wrong += [] if rows else [f'{folder}: no README says where it is from']
        wrong += [f'docs/notice.md lacks: | {cloud} {row}' for row in rows if f'| {cloud} {row}' not in notice]
    print('\n'.join(wrong) or f'{len(folders)} tables are named')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
