# SPDX-License-Identifier: Apache-2.0
"""What is written is read back as it was, and what is decided is what was checked. On random clusters: a dump of a dump has equal
bytes; the dump decides as the input did, in a plan and in a disruption pass; a plan of profile karp holds before the verifier; the
first command of a pass, carried out on both, leaves equal clusters.

    test_round_trips.py [--from SEED] [--count N]

A plan of profile karpenter is verified, too. Karpenter itself exceeds the skew of a spread, or what a reservation has free, where a
pool names the reservations: such violations are counted, and any other is a fault.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(os.environ['KARP_SOURCE']) / 'bindings' / 'python'))
import karp  # noqa: E402

WORLDS = pathlib.Path(os.environ['KARP_BUILD']) / 'tests' / 'property' / 'differential'
# What Karpenter's own plans of such worlds break, as its oracle shows: see docs/verification.md.
KARPENTERS = {'SPREAD', 'RESERVATION'}
# Pods run on a node whose zone only an older label states, which spread and affinity are about; a NodePool allows nothing but
# reservations that other launches hold; a pod of another kind narrows a launch to spot, where a spread over reserved nodes had counted;
# pods are spread beside a launch that fails minValues once it is restricted to its reservations; a pod forbids a
# label that another on its launch wants, which a third has hidden.
FOUND = 811752, 2005712, 2001384, 2004692, 2001835, 2006932, 2001686


def codes(verification):
    return {error.code for error in verification.errors}


def trips(text, count):
    """Yields the faults of one world; counts each round trip by its name."""
    first = karp.load(text)
    dump = first.dump()
    second = karp.load(dump)
    count['dump'] += 1
    if second.dump() != dump:
        yield 'a dump of the dump differs'
    plans = [snapshot.plan().to_json() for snapshot in (first, second)]
    count['plan'] += 1
    if plans[0] != plans[1]:
        yield 'the dump is planned differently'
    count['verify'] += 2
    broken = codes(karp.verify(second, plans[0]))
    count['Karpenter\'s own'] += bool(broken & KARPENTERS)
    if broken - KARPENTERS:
        yield f'verify: {broken - KARPENTERS}'
    broken = codes(karp.verify(second, second.plan(profile='karp')))
    if broken:
        yield f'verify, profile karp: {broken}'
    passes = [snapshot.disrupt(memory=b'') for snapshot in (first, second)]
    count['disrupt'] += 1
    if passes[0].to_json() != passes[1].to_json() or json.loads(passes[0].memory) != json.loads(passes[1].memory):
        yield 'the dump is disrupted differently'


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--from', dest='first', type=int, default=1)
    options.add_argument('--count', type=int, default=25)
    options = options.parse_args()
    if not WORLDS.exists():
        print('there are no random worlds')
        sys.exit(77)
    count, faults = collections.Counter(), 0
    seeds = [*FOUND, *range(options.first, options.first + options.count)]
    for seed in seeds:
        text = subprocess.run([WORLDS, '--print', str(seed)], capture_output=True, check=True).stdout
        for fault in trips(text, count):
            print(f'{seed}: {fault}')
            faults += 1
    print(f'{len(seeds)} worlds:', ', '.join(f'{n} {name}' for name, n in count.items()) + f': {faults} faults')
    sys.exit(1 if faults or not count['plan'] else 0)


main()
