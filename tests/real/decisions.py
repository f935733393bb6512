#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every decision of Karpenter in recordings of a real control plane, and what karp plan and karp disrupt decide for the cluster just before it.

    KARP=build/karp python3 tests/real/decisions.py FOLDER [--keep FOLDER]

A run that record.py recorded, STORY.N.jsonl.gz, is what `karp twin` judges. Otherwise a folder has types.json, stories STORY.yaml and runs STORY.N.json: `nodes` by NodeClaim, with pool, type, zone and capacityType, and when each was
launched, ready, deleting and deleted; `pods`, with name, owner (a Deployment of the story), node, and when each was created, bound and seen last. Times are
seconds since 1970. --keep writes the cluster before each decision that differs.

A decision is equal if the same nodes are removed, and as many are launched, of the same types, in zones that the plan allows. Where reality is open it is
equal in kind: among candidates of equal disruption cost Karpenter takes any, as Go walks a map, and any of equally good zones for pods that are spread. The
recordings do not have lastPodEventTime: Karpenter notices one in four of the pods without a grace period that are deleted together. So two clusters are
asked about: it has noticed all, or all but those of the nodes that it removes. Consolidation is decided 15 s before its nodes are launched or deleted.
"""
import argparse
import collections
import datetime
import gzip
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys

import yaml

LOOK = 2.5  # a recorder sees what happens up to so many seconds later
VALIDATION = 15.5
APART = 1.5  # launches and deletions of one decision come within so many seconds
EQUAL, IN_KIND, DIFFERENT = 'equal', 'equal in kind', 'different'
INTERRUPTED = 'interrupted by the story'
METHODS = ('Emptiness', 'Drift', 'MultiNodeConsolidation', 'SingleNodeConsolidation')


def instant(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%S.%fZ')


def duration(text):
    units = {'h': 3600, 'm': 60, 's': 1}
    return sum(float(number) * units[unit] for number, unit in re.findall(r'([\d.]+)([hms])', text))


def karp(verb, path, catalogue, *words):
    read = [] if verb == 'twin' else ['-f']
    done = subprocess.run([os.environ['KARP'], verb, *read, path, '--catalogue', catalogue, '-o', 'json', *words], capture_output=True, text=True)
    if done.returncode not in (0, 2, 3):
        sys.exit(f'karp {verb}: {done.stderr}')
    return json.loads(done.stdout)


def condition(kind, since, good=True):
    return {'type': kind, 'status': 'True' if good else 'False', 'reason': kind, 'lastTransitionTime': instant(since)}


class Run:
    def __init__(self, story, path, types):
        self.story, self.types = story, types
        self.recorded = json.loads(path.read_text())
        self.nodes, self.pods = self.recorded['nodes'], self.recorded['pods']
        self.deployments = {o['metadata']['name']: o for o in story['objects'] if o['kind'] == 'Deployment'}
        self.pools = {o['metadata']['name']: o for o in story['objects'] if o['kind'] == 'NodePool'}
        for pod in self.pods:
            pod['claim'] = next((claim for claim in self.nodes if pod.get('node', '').startswith(f'kwok-{claim}-')), None)

    def node(self, claim, at, missed):
        """NodeClaim and Node as they are then."""
        n = self.nodes[claim]
        kind = self.types[n['type']]
        labels = {key: values[0] for key, values in kind['labels'].items() if len(values) == 1}
        labels.update({'karpenter.sh/nodepool': n['pool'], 'topology.kubernetes.io/zone': n['zone'], 'karpenter.sh/capacity-type': n['capacityType'],
                       'kubernetes.io/hostname': claim})
        ready = n.get('ready', at + 1) <= at
        meta = {'name': claim, 'uid': claim, 'labels': labels, 'creationTimestamp': instant(n['launched'])}
        if n.get('deleting', at + 1) <= at:
            meta['deletionTimestamp'] = instant(n['deleting'])
        amounts = {'capacity': kind['capacity'], 'allocatable': kind['allocatable']}
        conditions = [condition('Launched', n['launched'])]
        spec = self.pools[n['pool']]['spec']['template']['spec']
        events = [p['bound'] for p in self.pods if p['claim'] == claim and p.get('bound', at + 1) <= at]
        events += [p['seen'] for p in self.pods if claim not in missed and p['claim'] == claim and p['seen'] + LOOK < at]
        last = max([n['launched'], n.get('ready', 0) if ready else 0, *events])
        if ready:
            conditions += [condition(kind, n['ready']) for kind in ('Registered', 'Initialized')]
            after = duration(self.pools[n['pool']]['spec']['disruption'].get('consolidateAfter', '0s'))
            if last + after <= at:
                conditions.append(condition('Consolidatable', last + after))
        status = {**amounts, 'providerID': f'kwok://{claim}', 'conditions': conditions, 'lastPodEventTime': instant(last)}
        if ready:
            status['nodeName'] = claim
        objects = [{'apiVersion': 'karpenter.sh/v1', 'kind': 'NodeClaim', 'metadata': meta, 'status': status,
                    'spec': {'nodeClassRef': spec['nodeClassRef'], 'requirements': [], 'expireAfter': 'Never'}}]
        if ready:
            labels = {**labels, 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true'}
            objects.append({'apiVersion': 'v1', 'kind': 'Node', 'metadata': {**meta, 'labels': labels}, 'spec': {'providerID': f'kwok://{claim}'},
                            'status': {**amounts, 'conditions': [condition('Ready', n['ready'])]}})
        return objects

    def pod(self, p, at, waits):
        owner = self.deployments[p['owner']]
        template = owner['spec']['template']
        reference = {'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': p['name'].rsplit('-', 1)[0], 'uid': p['owner'], 'controller': True}
        one = {'apiVersion': 'v1', 'kind': 'Pod', 'spec': dict(template['spec']), 'status': {'phase': 'Pending', 'conditions': []},
               'metadata': {**template['metadata'], 'name': p['name'], 'namespace': owner['metadata'].get('namespace', 'default'), 'uid': p['name'],
                            'creationTimestamp': instant(p['created']), 'ownerReferences': [reference]}}
        if waits:
            one['status']['conditions'] = [{**condition('PodScheduled', p['created'], False), 'reason': 'Unschedulable'}]
        else:
            one['spec']['nodeName'] = p['claim']
            one['status'] = {'phase': 'Running', 'startTime': instant(p['bound']), 'conditions': [condition('PodScheduled', p['bound']), condition('Ready', p['bound'])]}
        return one

    def cluster(self, at, without=(), missed=(), only=None):
        """All objects of that instant. `without`: NodeClaims of the decision itself; `missed`: nodes that pods left unnoticed; `only`: the nodes that may
        be disrupted."""
        objects = [o for o in self.story['objects'] if o['kind'] not in ('Deployment', 'StatefulSet')]
        there = [c for c, n in self.nodes.items() if c not in without and n['launched'] <= at < n.get('deleted', at + 1)]
        for claim in there:
            objects += self.node(claim, at, missed)
            if only is not None and claim not in only:
                objects[-1]['metadata']['annotations'] = {'karpenter.sh/do-not-disrupt': 'true'}
        for p in self.pods:
            if p['created'] > at or p['seen'] + LOOK < at:
                continue
            runs = p['claim'] in there and self.nodes[p['claim']].get('ready', at + 1) <= at and p['bound'] <= at + LOOK
            objects.append(self.pod(p, at, not runs))
        return {'apiVersion': 'v1', 'kind': 'List', 'items': objects, 'now': instant(at)}

    def waiting(self, at, claims):
        """Whether pods waited for these nodes."""
        return any(p['created'] <= at and p['claim'] in claims and p.get('bound', 0) >= at for p in self.pods)


def groups(nodes, key):
    """NodeClaims by the time of the member, those of one decision together."""
    out = []
    for claim, n in sorted(((c, n) for c, n in nodes.items() if key in n), key=lambda row: row[1][key]):
        if out and n[key] - out[-1][0] <= APART:
            out[-1][1].append(claim)
        else:
            out.append((n[key], [claim]))
    return out


def offering(n):
    return n['type'], n['zone'], n['capacityType']


def allowed(launch):
    """The offerings that a launch may get: those of the cheapest type, in the zones that its pods allow."""
    choice = launch['choice']
    zones = [r['values'] for r in launch['requirements'] if r['key'] == 'topology.kubernetes.io/zone' and r['operator'] == 'In']
    return choice['instanceType'], zones[0] if zones else None, choice['capacityType']


def fits(real, ours):
    """Whether each node that was launched is one of the plan, one for one."""
    if len(real) != len(ours):
        return False
    taken = {}

    def place(i, seen):
        for k, (kind, zones, capacity) in enumerate(ours):
            if k in seen or (kind, capacity) != (real[i][0], real[i][2]) or (zones and real[i][1] not in zones):
                continue
            seen.add(k)
            if k not in taken or place(taken[k], seen):
                taken[k] = i
                return True
        return False
    return all(place(i, set()) for i in range(len(real)))


def judge_launch(run, at, claims, ask):
    real = sorted(offering(run.nodes[c]) for c in claims)
    ours = [allowed(launch) for launch in ask('plan', run.cluster(at, claims))['launches']]
    if fits(real, ours):
        return EQUAL, real, ours
    return IN_KIND if fits(real, [(kind, None, capacity) for kind, _, capacity in ours]) else DIFFERENT, real, ours


def commands_of(answer):
    """Nodes and replacements of each command, and of those together that replace nothing."""
    out = [(sorted(c['nodes']), [allowed(launch) for launch in c['replacements']]) for c in answer['commands']]
    return out + [(sorted(itertools.chain.from_iterable(nodes for nodes, new in out if not new)), [])]


def among_ties(removed, new, answer, alone):
    """Whether the nodes that were removed cost as little to disrupt as those of the pass, and would be removed as well, were they `alone`."""
    costs = {c['node']: c['disruptionCost'] for c in answer['candidates']}
    for nodes, _ in commands_of(answer):
        if len(nodes) == len(removed) > 0 and sorted(costs.get(n, -1) for n in nodes) == sorted(costs.get(n, -1) for n in removed):
            return any(nodes == removed and fits(new, ours) for nodes, ours in commands_of(alone()))
    return False


def judge_removal(run, at, removed, replacements, ask):
    """Whether some method of a pass has a command, or commands, with these nodes and replacements."""
    removed, new, found, result = sorted(removed), sorted(offering(run.nodes[c]) for c in replacements), [], DIFFERENT
    for when, missed, method in itertools.product((at - .001, at - VALIDATION), ((), removed), METHODS):
        def alone():
            return ask('disrupt', run.cluster(when, replacements, missed, removed), '--method', method)

        answer = ask('disrupt', run.cluster(when, replacements, missed), '--method', method)
        for nodes, ours in commands_of(answer):
            if nodes == removed and fits(new, ours):
                return EQUAL, (removed, new), []
            found += [(method, nodes, ours)] if nodes else []
        if among_ties(removed, new, answer, alone):
            result = IN_KIND
    return result, (removed, new), found


def decisions(run):
    """Each as its time, what it is, the nodes removed and the nodes launched."""
    replaced = set()
    for at, claims in groups(run.nodes, 'launched'):
        if run.waiting(at, claims):
            yield at, 'launch', [], claims
            continue
        ready = max(run.nodes[c].get('ready', at) for c in claims)
        gone = [c for c, n in run.nodes.items() if ready <= n.get('deleting', 0) + APART and n.get('deleting', 0) <= ready + 4]
        replaced.update(gone)
        yield at, 'replace', gone, claims
    for at, claims in groups({c: n for c, n in run.nodes.items() if c not in replaced}, 'deleting'):
        yield at, 'remove', claims, []


def said(counts):
    more = f', {counts[INTERRUPTED]} {INTERRUPTED}' if counts[INTERRUPTED] else ''
    return f'{sum(counts.values())} decisions: ' + ', '.join(f'{counts[what]} {what}' for what in (EQUAL, IN_KIND, DIFFERENT)) + more


def asked(path, catalogue):
    """How many decisions of a recording karp twin finds equal, equal in kind and different."""
    found = karp('twin', path, catalogue)
    return found['equal'], found['inKind'], found['different']


def judged(path, catalogue, scratch):
    """What karp twin says of a recording: how many decisions are equal and so on, after those that differ."""
    scratch.write_bytes(gzip.decompress(path.read_bytes()))
    found, ours = karp('twin', scratch, catalogue), 0
    interrupts = any('interrupt' in step for step in json.loads(path.with_suffix('').with_suffix('.json').read_text())['steps'])
    for one in found['decisions']:
        if interrupts and one['verdict'] == 'different' and 'reason' not in one:
            ours += 1  # the story deleted it: nobody decided
        elif one['verdict'] == 'different':
            print(f"{path.name}, {one['at']}, {one['decision']}: {one['recorded']}\n  karp: {one.get('predicted')}; {one.get('why', '')}")
    return collections.Counter({EQUAL: found['equal'], IN_KIND: found['inKind'], DIFFERENT: found['different'] - ours, INTERRUPTED: ours})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('folder', type=pathlib.Path)
    parser.add_argument('--keep', type=pathlib.Path)
    arguments = parser.parse_args()
    catalogue = arguments.folder / 'types.json'
    scratch = pathlib.Path(os.environ.get('TMPDIR', '/tmp'), f'karp-decisions-{os.getpid()}.json')
    listed = json.loads(subprocess.run([os.environ['KARP'], 'catalogue', '--catalogue', catalogue, '-o', 'json'], capture_output=True, text=True, check=True).stdout)
    types, total = {t['name']: t for t in listed}, collections.Counter()

    def ask(verb, cluster, *words):
        scratch.write_text(json.dumps(cluster))
        return karp(verb, scratch, catalogue, '--now', cluster['now'], *words)

    for story in sorted(arguments.folder.glob('*.yaml')):
        for path in sorted(arguments.folder.glob(f'{story.stem}.[0-9]*.json')):
            lines = path.with_suffix('.jsonl.gz')
            if lines.exists():
                counts = judged(lines, catalogue, scratch)
                print(f'{path.stem}: {said(counts)}')
                total += counts
                continue
            run = Run(yaml.safe_load(story.read_text()), path, types)
            begins, counts = run.recorded['begins'], collections.Counter()
            for at, what, removed, claims in sorted(decisions(run), key=lambda row: row[0]):
                same, real, ours = judge_launch(run, at, claims, ask) if what == 'launch' else judge_removal(run, at, removed, claims, ask)
                counts[same] += 1
                if same == DIFFERENT:
                    print(f'{path.stem}, {at - begins:.1f} s, {what}: {real}\n  karp: {ours}')
                    if arguments.keep:
                        (arguments.keep / f'{path.stem}-{at - begins:.0f}.json').write_text(json.dumps(run.cluster(at - .001, claims), indent=1))
            print(f'{path.stem}: {said(counts)}')
            total += counts
    scratch.unlink(missing_ok=True)
    print(f'all: {said(total)}')


if __name__ == '__main__':
    main()
