# SPDX-License-Identifier: Apache-2.0
"""Asks kube-scheduler itself (main.go) about random worlds with groups of pods, and compares with plans of profile karp.

    ask.py [--from SEED] [--count WORLDS] [--program BUILT] [--write FILE] [--show SEED]

It builds the program with Go, from the module k8s.io/kubernetes, unless one that was built is given. --write keeps worlds with
kube-scheduler's answers for tests/conformance/test_scheduler_gangs.py. It needs the program karp ($KARP, or build/karp).

kube-scheduler has no sign that it has tried everything, so the program waits until it is idle. On a busy machine that may be too early: a
world whose answers differ is asked about once more, with a longer wait, and that answer counts.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
sys.path[:0] = [str(SOURCE / 'tests' / 'reference'), str(SOURCE / 'tests' / 'conformance')]
import gang_questions # noqa: E402
import scheduler_gangs # noqa: E402

VERSION = os.environ.get('KUBERNETES', '1.37.2')


def build(folder):
    """The module k8s.io/kubernetes refers to its own parts by paths: each is replaced by the module of the same version."""
    def go(*words):
        return subprocess.run(['go', *words], cwd=folder, check=True, capture_output=True, text=True, env=os.environ | {'GOFLAGS': '-mod=mod'}).stdout
    (folder / 'main.go').write_text((HERE / 'main.go').read_text())
    (folder / 'go.mod').write_text(f'module karp-oracle-scheduler\n\ngo 1.26.0\n\nrequire k8s.io/kubernetes v{VERSION}\n')
    theirs = json.loads(go('mod', 'download', '-json', f'k8s.io/kubernetes@v{VERSION}'))['GoMod']
    parts = sorted({line.split()[0] for line in pathlib.Path(theirs).read_text().splitlines() if '=> ./staging' in line})
    with (folder / 'go.mod').open('a') as out:
        out.writelines(f'replace {p} => {p} v0.{VERSION.removeprefix("1.")}\n' for p in parts)
    go('mod', 'tidy')
    go('build', '-ldflags=-s', '-o', 'scheduler', '.')
    return folder / 'scheduler'


LOOKS, MORE_LOOKS = 4, 100


def answers(program, worlds, looks=LOOKS):
    lines = '\n'.join(json.dumps({'items': gang_questions.objects(w), 'looks': looks}) for w in worlds) + '\n'
    done = subprocess.run([program], input=lines, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return [json.loads(line)['bound'] for line in done.stdout.splitlines()]


def world_of(seed):
    return gang_questions.make(random.Random(seed), 'mixed' if seed % 3 == 0 else 'equal')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--from', type=int, default=1, dest='first')
    parser.add_argument('--count', type=int, default=1000)
    parser.add_argument('--program')
    parser.add_argument('--write')
    parser.add_argument('--show', type=int)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        program = words.program or build(folder)
        if words.show is not None:
            world = world_of(words.show)
            print(json.dumps(world, indent=1), answers(program, [world], MORE_LOOKS), scheduler_gangs.plan(world, folder), sep='\n')
            return 0
        seeds = range(words.first, words.first + words.count)
        worlds = [world_of(seed) for seed in seeds]
        theirs = answers(program, worlds)
        wrong, noted, starts, again = [], 0, 0, 0
        for i, (seed, world) in enumerate(zip(seeds, worlds)):
            ours, notes = scheduler_gangs.plan(world, folder)
            if gang_questions.difference(world, theirs[i], ours, notes):
                theirs[i], again = answers(program, [world], MORE_LOOKS)[0], again + 1
            bound = theirs[i]
            fault = gang_questions.difference(world, bound, ours, notes)
            wrong += [f'world {seed} ({world["kind"]}{", composite" if world["composite"] else ""}): {fault}'] if fault else []
            starts += bool(bound)
            noted += bool(ours) and not bound and not fault
    print(*wrong, sep='\n', end='\n' if wrong else '')
    print(f'{len(worlds)} worlds, {starts} with a group that kube-scheduler starts; {noted} start here alone, with a note; {again} asked again; {len(wrong)} differ')
    if words.write:
        kept = [json.dumps({'world': w, 'bound': b}, separators=(',', ':')) for w, b in zip(worlds, theirs)]
        pathlib.Path(words.write).write_text('\n'.join(kept) + '\n')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
