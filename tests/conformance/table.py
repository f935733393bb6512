# SPDX-License-Identifier: Apache-2.0
"""docs/conformance.md, made of docs/behaviours/*.txt, the text cases that name behaviours, and differences.md.

    table.py             writes it
    table.py --check     says what is wrong: a behaviour that is missing or twice, a file, a test or a case that does not exist,
                         a page that is not current. Exit status 1 when something is.
"""
import glob
import json
import os
import pathlib
import re
import sys

SOURCE = pathlib.Path(os.environ.get('KARP_SOURCE', pathlib.Path(__file__).resolve().parents[2]))
PAGE = SOURCE / 'docs' / 'conformance.md'
ROW = re.compile(r'([A-Z]-\d{1,3}[a-z]?) \| (.+) \| ([^|]*) \| ([^|]*)$')
CASE_ID = re.compile(r'(solve|disrupt)-[\w.-]+$')


class Behaviour:
    def __init__(self, identity, text, files, tests, reason, section):
        self.identity, self.text, self.files, self.tests = identity, text, files, tests
        self.reason, self.section = reason, section


def read_behaviours(path, problems):
    """The rows of a file, in its order."""
    rows, section = [], ''
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith('== '):
            section = line[3:]
        elif line and not line.startswith('#'):
            match = ROW.match(line)
            if not match:
                problems.append(f'{path.relative_to(SOURCE)}:{number}: not understood')
                continue
            identity, text, files, tests = match.groups()
            reason = re.search(r'\((.*)\)\s*$', tests)
            words = (tests[:reason.start()] if reason else tests).split()
            rows.append(Behaviour(identity, text, [w for w in files.split() if w != '-'], [w for w in words if w != '-'],
                                  reason.group(1) if reason else '', section))
    return rows


def text_cases():
    """Behaviour -> text cases that name it."""
    covers = {}
    folder = SOURCE / 'tests' / 'cases'
    for path in sorted(folder.glob('*/**/*.yaml')):
        for line in path.read_text().splitlines():
            if line.startswith('# covers:'):
                for identity in line.split()[2:]:
                    covers.setdefault(identity, []).append(str(path.relative_to(SOURCE)))
            elif not line.startswith('#'):
                break
    return covers


def shared_cases():
    """The ids of conformance cases; None when they are not here."""
    shared = os.environ.get('KARP_SHARED')
    folders = [pathlib.Path(shared) / name for name in ('conformance', 'conformance-1.15')] if shared else []
    if not folders or not all((folder / 'index.json').is_file() for folder in folders):
        return None
    return {row['id'] for folder in folders for row in json.loads((folder / 'index.json').read_text())}


def shared_checklist(name):
    """Behaviour -> text as the specification has it; None when it is not here."""
    shared = os.environ.get('KARP_SHARED')
    path = pathlib.Path(shared) / 'spec' / 'checklists' / f'{name}.md' if shared else None
    if path is None or not path.is_file():
        return None
    return dict(re.findall(r'^([A-Z]-\d{3}[a-z]?) (?:\[\w\]|\|) (.*?)(?: \| .*)?$', path.read_text(), re.M))


def check_test(word, cases, problems):
    if CASE_ID.match(word):
        if cases is not None and word not in cases:
            problems.append(f'{word}: no such conformance case')
        return
    path, _, name = word.partition(':')
    if not (SOURCE / path).is_file():
        problems.append(f'{path}: no such file')
    elif name and not re.search(r'\b' + re.escape(name) + r'\b', (SOURCE / path).read_text()):
        problems.append(f'{path}: no test {name}')


def check_rows(path, rows, covers, problems):
    seen, cases, listed = set(), shared_cases(), shared_checklist(path.stem)
    for row in rows:
        if row.identity in seen:
            problems.append(f'{row.identity} is listed twice')
        seen.add(row.identity)
        for name in row.files:
            if not (SOURCE / name).is_file():
                problems.append(f'{row.identity}: {name}: no such file')
        before = len(problems)
        for word in row.tests:
            check_test(word, cases, problems)
        problems[before:] = [f'{row.identity}: {p}' for p in problems[before:]]
        if not row.tests and not row.reason and row.identity not in covers:
            problems.append(f'{row.identity}: no test, and not a word why')
    for identity, text in (listed or {}).items():
        found = [row for row in rows if row.identity == identity]
        if not found:
            problems.append(f'{identity} is missing')
        elif found[0].text != text:
            problems.append(f'{identity} is called "{text}"')
    # The list itself is numbered without a gap, so that nothing gets lost where the checklist is not at hand.
    numbers = [int(re.search(r'\d+', row.identity).group()) for row in rows]
    if numbers != list(range(1, len(numbers) + 1)):
        problems.append(f'{path.name}: numbers are not 1 … {len(numbers)}')
    return seen


def show_test(word):
    """The last part of the path, which is what one looks for."""
    return word if CASE_ID.match(word) else word.removeprefix('tests/').removeprefix('unit/').removeprefix('cases/')


def show_row(row, covers):
    tests = covers.get(row.identity, []) + row.tests
    words = ', '.join(f'`{show_test(t)}`' for t in tests)
    if row.reason:
        words += (' ' if words else '') + f'({row.reason})'
    files = ', '.join(f'`{f.removeprefix("lib/")}`' for f in row.files) or '—'
    return f'| {row.identity} | {row.text} | {files} | {words or "none"} |'


def page(tables, covers):
    out = ['# Conformance', '',
           '<!-- Generated by tests/conformance/table.py from docs/behaviours/ and tests/conformance/differences.md. -->', '',
           'libkarp decides as Karpenter does. This page lists the behaviours, where each is implemented, and which tests check it: text cases',
           '(`scheduling/…`, `disruption/…`), unit tests (`test_….c`), property tests, and conformance cases, which are decisions of Karpenter',
           'itself (`solve-…`, `disrupt-…`; kept outside this repository). Files are in `lib/`. Hundreds of conformance cases on random clusters, and',
           'the differential test against the plain scheduler of `tests/reference`, test all rules together and are not listed in every row.', '']
    out += (SOURCE / 'tests' / 'conformance' / 'differences.md').read_text().split('-->\n', 1)[1].strip().splitlines()
    for name, rows in tables:
        tested = sum(1 for row in rows if row.tests or row.identity in covers)
        out += ['', f'## Behaviours: {name}', '', f'{len(rows)} behaviours; {tested} have a test of their own or a conformance case.']
        section = None
        for row in rows:
            if row.section != section:
                section = row.section
                out += ['', f'### {section}', '', '| id | behaviour | where | tests |', '|---|---|---|---|']
            out.append(show_row(row, covers))
    return '\n'.join(out) + '\n'


def main():
    problems, tables, seen = [], [], set()
    covers = text_cases()
    for path in sorted((SOURCE / 'docs' / 'behaviours').glob('*.txt')):
        rows = read_behaviours(path, problems)
        seen |= check_rows(path, rows, covers, problems)
        tables.append((path.stem, rows))
    kinds = {identity[0] for identity in seen}
    problems += [f'{paths[0]}: covers {identity}, which is no behaviour' for identity, paths in covers.items()
                 if identity not in seen and identity[0] in kinds]
    text = page(tables, covers)
    if '--check' in sys.argv[1:]:
        if not PAGE.is_file() or PAGE.read_text() != text:
            problems.append('docs/conformance.md is not current: run tests/conformance/table.py')
    else:
        PAGE.write_text(text)
    for problem in problems:
        print(problem)
    print(f'{len(seen)} behaviours, {len(problems)} problems')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
