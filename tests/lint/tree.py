# SPDX-License-Identifier: Apache-2.0
"""The files of the project, for the checks beside this one."""
import os
import pathlib
import re

SOURCE = pathlib.Path(os.environ.get('KARP_SOURCE') or pathlib.Path(__file__).resolve().parents[2])
SKIPPED = re.compile(r'^(\.git|build.*|subprojects|__pycache__|\.mypy_cache|node_modules|dist|.*\.egg-info)$')


def files(*endings, under='.'):
    """Paths relative to the source, sorted, with one of the endings; no build folders."""
    found = []
    for folder, folders, names in os.walk(SOURCE / under):
        folders[:] = [name for name in folders if not SKIPPED.match(name)]
        found += [pathlib.Path(folder, name).relative_to(SOURCE) for name in names if name.endswith(endings)]
    return sorted(found)


def text(path):
    return (SOURCE / path).read_text(encoding='utf-8', errors='replace')


def modules():
    """{module: what it may use}, from the table in docs/architecture.md; 'public headers' is one of the words."""
    rows = re.findall(r'^\| `lib/(\w+)` \|.*\| ([^|]*) \|$', text('docs/architecture.md'), re.M)
    return {module: set() if uses == '–' else set(uses.split(', ')) for module, uses in rows}


BELOW = modules()
CORE = tuple(BELOW)[:tuple(BELOW).index('json')]
OUTSIDE = tuple(BELOW)[len(CORE):]


def code(content):
    """C with comments and literals blanked, line for line."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', flags=re.S)

    def blank(match):
        return '""' if match.group().startswith('"') else '\n' * match.group().count('\n') or ' '
    return pattern.sub(blank, content)


def report(problems, counted):
    print('\n'.join(problems) or f'{counted} files are clean')
    if not counted:
        print('no files were found')
    return 1 if problems or not counted else 0
