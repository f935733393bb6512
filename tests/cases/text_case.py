# SPDX-License-Identifier: Apache-2.0
"""What text cases of scheduling and of disruption have in common: how a case is read, run and compared."""
import fnmatch
import json
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
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


def split_facets(text):
    """'web-0 web-1; zone In z1': the pods, and the facets as lists of words."""
    pods, *facets = [part.split() for part in text.split(';')]
    return long_names(pods), facets


def compare_launches(expected, launches):
    """Expected are (pool, pods, facets) in any order."""
    left = list(launches)
    for pool, pods, facets in expected:
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


def read_case(path, verb, run_class):
    """The runs of a case: what stands behind each line "# VERB"."""
    runs = []
    for line in path.read_text().splitlines():
        if not line.startswith('#'):
            break
        line = line[1:].strip()
        if line == verb or line.startswith(verb + ' '):
            runs.append(run_class(line.split()[1:]))
        elif runs and line and not line.startswith('covers:'):
            runs[-1].expect(line)
    if not runs:
        raise Wrong(f'no line "# {verb}"')
    return runs


def command(folder, path, verb, arguments):
    """Files of the folder named world.yaml and types.yaml serve every case below. A case may name others with --catalogue, or
    have its types itself, in a Snapshot, with --own-types."""
    arguments = [str(folder / a) if a.endswith('.yaml') else a for a in arguments]
    if '--own-types' in arguments:
        arguments.remove('--own-types')
    elif '--catalogue' not in arguments:
        arguments += ['--catalogue', str(folder / 'types.yaml')]
    files = ['-f', str(path)]
    if '--alone' in arguments:
        arguments.remove('--alone')
    else:
        files += ['-f', str(folder / 'world.yaml')]
    # The cases are about Karpenter, also where the API server refuses a pod before Karpenter sees it.
    return [os.environ['KARP'], verb, *files, '--lenient', *arguments, '-o', 'json']


def check(folder, path, verb, run_class):
    for run in read_case(path, verb, run_class):
        done = subprocess.run(command(folder, path, verb, run.arguments), capture_output=True, text=True, timeout=60)
        name = ' '.join([verb, *run.arguments])
        if done.returncode != 0:
            yield f'{name}: exit {done.returncode}: {done.stderr.strip()}'
            continue
        for what in run.compare(json.loads(done.stdout)):
            yield f'{name}: {what}'


def main(name, verb, run_class):
    """The files below the folder NAME whose path matches the first argument; all without. The exit status."""
    if 'KARP' not in os.environ:
        print('KARP does not name the program')
        return 77
    folder = FOLDER / name
    pattern = sys.argv[1] if len(sys.argv) > 1 else '*'
    files = sorted(p for p in folder.rglob('*.yaml') if p.parent != folder and fnmatch.fnmatch(str(p.relative_to(folder)), pattern))
    failures = 0
    for path in files:
        try:
            problems = list(check(folder, path, verb, run_class))
        except (Wrong, ValueError, KeyError) as error:
            problems = [f'{type(error).__name__}: {error}']
        for problem in problems:
            print(f'{path.relative_to(folder)}: {problem}')
        failures += bool(problems)
    print(f'{len(files)} cases, {failures} failures')
    return 1 if failures or not files else 0
