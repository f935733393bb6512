# SPDX-License-Identifier: Apache-2.0
"""Cases as text: documents in, the expected decision in the comments at their head. See scheduling/README.md.

    test_text_cases.py [GLOB]    the files below tests/cases/scheduling whose path matches; all without GLOB
"""
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent / 'scheduling'
SHORT = {'zone': 'topology.kubernetes.io/zone', 'capacity-type': 'karpenter.sh/capacity-type', 'arch': 'kubernetes.io/arch',
         'type': 'node.kubernetes.io/instance-type', 'os': 'kubernetes.io/os', 'host': 'kubernetes.io/hostname'}


class Wrong(Exception):
    """A case that cannot be understood."""


def long_names(words):
    return sorted(word if '/' in word else 'default/' + word for word in words)


def requirement_text(launch, key):
    """'In a b', 'NotIn a >=3', 'Exists', 'absent': what a launch says about a key."""
    rows = [r for r in launch['requirements'] if r['key'] == key]
    if not rows:
        return 'absent'
    marks = {'Gte': '>=', 'Lte': '<='}
    parts = []
    for row in sorted(rows, key=lambda r: (r['operator'] in marks, r['operator'])):
        if row['operator'] in marks:
            parts.append(marks[row['operator']] + row['values'][0])
        else:
            parts.append(' '.join([row['operator'], *row.get('values', [])]))
    least = max(row.get('minValues') or 0 for row in rows)
    return ' '.join(parts + ([f'min {least}'] if least else []))


def facet(launch, words):
    """What the launch has, in the words the case uses: a facet is 'types', 'requests', 'price', or a label key."""
    what = words[0]
    if what == 'types':
        return ' '.join(['types', *launch['instanceTypes']])
    if what == 'requests':
        names = [word.split('=')[0] for word in words[1:]]
        return ' '.join(['requests', *(f'{n}={launch["requests"].get(n, 0)}' for n in names)])
    if what == 'price':
        return f'price {launch["choice"]["price"]}'
    if what in ('label', 'annotation'):
        have = launch[what + 's']
        return ' '.join([what, *(f'{w.split("=")[0]}={have.get(w.split("=")[0], "")}' for w in words[1:])])
    return f'{what} {requirement_text(launch, SHORT.get(what, what))}'


class Run:
    """One command line of a case and what has to come out."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.launches, self.placements, self.failed, self.ignored = [], {}, {}, {}

    def expect(self, line):
        match = re.fullmatch(r'(launch|place|fail|ignore) ([^\s:]+):?\s*(.*)', line)
        if not match:
            raise Wrong(f'not understood: {line}')
        verb, name, rest = match.groups()
        if verb == 'launch':
            pods, *facets = [part.split() for part in rest.split(';')]
            self.launches.append((name, long_names(pods), facets))
        elif verb == 'place':
            self.placements[name] = long_names(rest.split())
        else:
            (self.failed if verb == 'fail' else self.ignored)[long_names([name])[0]] = rest.strip()

    def compare(self, plan):
        yield from self.compare_launches(plan['launches'])
        placed = {p['node']: p['pods'] for p in plan['placements']}
        if placed != self.placements:
            yield f'placements are {placed}'
        for member, wanted in (('unschedulable', self.failed), ('ignored', self.ignored)):
            got = {row['pod']: row['code'] for row in plan[member]}
            if got != wanted and (set(got) != set(wanted) or any(code and got[pod] != code for pod, code in wanted.items())):
                yield f'{member} is {got}'

    def compare_launches(self, launches):
        left = list(launches)
        for pool, pods, facets in self.launches:
            same = [l for l in left if l['nodePool'] == pool and l['pods'] == pods]
            fits = [l for l in same if all(facet(l, words) == ' '.join(words) for words in facets)]
            if fits:
                left.remove(fits[0])
            elif same:
                yield '; '.join([f'the launch of {pool} for {" ".join(pods)} has'] + [facet(same[0], words) for words in facets])
                left.remove(same[0])
            else:
                yield f'no launch of {pool} for {" ".join(pods)}'
        for launch in left:
            yield f'a launch of {launch["nodePool"]} for {" ".join(launch["pods"])}: {facet(launch, ["types"])}'


def read_case(path):
    """The ids it covers, and its runs."""
    covers, runs = [], []
    for line in path.read_text().splitlines():
        if not line.startswith('#'):
            break
        line = line[1:].strip()
        if line.startswith('covers:'):
            covers += line.split()[1:]
        elif line == 'plan' or line.startswith('plan '):
            runs.append(Run(line.split()[1:]))
        elif runs and line:
            runs[-1].expect(line)
    if not runs:
        raise Wrong('no line "# plan"')
    return covers, runs


def command(path, run):
    """Files of the folder named world.yaml and types.yaml serve every case below; a case may bring its own with --catalogue."""
    arguments = [str(FOLDER / a) if a.endswith('.yaml') else a for a in run.arguments]
    if '--catalogue' not in arguments:
        arguments += ['--catalogue', str(FOLDER / 'types.yaml')]
    files = ['-f', str(path)]
    if '--alone' in arguments:
        arguments.remove('--alone')
    else:
        files += ['-f', str(FOLDER / 'world.yaml')]
    return [os.environ['KARP'], 'plan', *files, *arguments, '-o', 'json']


def check(path):
    for run in read_case(path)[1]:
        done = subprocess.run(command(path, run), capture_output=True, text=True, timeout=60)
        name = ' '.join(['plan', *run.arguments])
        if done.returncode != 0:
            yield f'{name}: exit {done.returncode}: {done.stderr.strip()}'
            continue
        for what in run.compare(json.loads(done.stdout)):
            yield f'{name}: {what}'


def case_files():
    return sorted(p for p in FOLDER.rglob('*.yaml') if p.parent != FOLDER)


def main():
    if 'KARP' not in os.environ:
        print('KARP does not name the program')
        return 77
    pattern = sys.argv[1] if len(sys.argv) > 1 else '*'
    files = [p for p in case_files() if fnmatch.fnmatch(str(p.relative_to(FOLDER)), pattern)]
    failures = 0
    for path in files:
        try:
            problems = list(check(path))
        except (Wrong, ValueError, KeyError) as error:
            problems = [f'{type(error).__name__}: {error}']
        for problem in problems:
            print(f'{path.relative_to(FOLDER)}: {problem}')
        failures += bool(problems)
    print(f'{len(files)} cases, {failures} failures')
    return 1 if failures or not files else 0


if __name__ == '__main__':
    sys.exit(main())
