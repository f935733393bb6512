#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays stories on a real control plane in real time, and records what happens there.

    python3 tests/real/record.py PROGRAMS STORY.yaml… [--into FOLDER] [--runs 3] [--at-once 2] [--boot 15]

PROGRAMS is the folder in which plane.py builds the programs; what is missing there is built first. Each run has a control plane of its own. A run N of STORY
becomes two files: STORY.N.jsonl.gz, what `karp record` would have written, and STORY.N.json, its figures (docs/twin.md). The types are types.json beside
the story. A pod of a Job runs as long as kwok's annotations say; an interrupted node's NodeClaim is deleted, which is what Karpenter does on a notice.
Agents make what programs on nodes and drivers would: startup taints go when a node is registered, and a claim gets a volume in the zone of its first node.
A story with schedules begins at a minute that is even, as its start.

A machine with too much to do spoils a recording: where the recorder, the API server or registrations were late, the run is repeated, twice at most, and its
figures say what was late (`late`, `spoiled`).
"""
import argparse
import collections
import concurrent.futures
import copy
import datetime
import gzip
import json
import os
import pathlib
import queue
import re
import subprocess
import tempfile
import threading
import time

import yaml

import agree
import plane

EVERY = 2  # seconds between two samples
FLUSH = 0.25  # seconds between two lines of a recording
REPEATS = 2
# Seconds that the recorder's own ticks, answers of the API server, and nodes that register may be late: almost always, and at most
LATE = {'ticks': (.3, 1.5), 'answers': (.5, 2), 'registrations': (4, 5)}
LISTS = ['/api/v1/pods', '/api/v1/nodes', '/api/v1/events', '/apis/karpenter.sh/v1/nodeclaims', '/apis/karpenter.sh/v1/nodepools', '/apis/apps/v1/daemonsets',
         '/apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses', '/apis/policy/v1/poddisruptionbudgets', '/apis/scheduling.k8s.io/v1/priorityclasses', '/api/v1/namespaces',
         '/apis/batch/v1/jobs', '/api/v1/persistentvolumes', '/api/v1/persistentvolumeclaims', '/apis/storage.k8s.io/v1/storageclasses']
OF_CONTAINERS = ('name', 'resources', 'ports', 'restartPolicy')
DRIVER = {'apiVersion': 'storage.k8s.io/v1', 'kind': 'CSIDriver', 'metadata': {'name': 'disk.example.com'}, 'spec': {'attachRequired': False}}
CLASS = {'apiVersion': 'karpenter.kwok.sh/v1alpha1', 'kind': 'KWOKNodeClass', 'metadata': {'name': 'default'}}
WORKLOADS = ('Deployment', 'StatefulSet', 'ReplicaSet', 'Job')
SHORT = {'pdb': 'PodDisruptionBudget', 'deploy': 'Deployment'}
# Samples of a metrics server, as objects that the API server keeps: HorizontalPodAutoscalers read them.
METRICS = {'apiVersion': 'apiextensions.k8s.io/v1', 'kind': 'CustomResourceDefinition',
           'metadata': {'name': 'pods.metrics.k8s.io', 'annotations': {'api-approved.kubernetes.io': 'unapproved, for a test'}},
           'spec': {'group': 'metrics.k8s.io', 'scope': 'Namespaced', 'names': {'plural': 'pods', 'singular': 'podmetrics', 'kind': 'PodMetrics', 'listKind': 'PodMetricsList'},
                    'versions': [{'name': 'v1beta1', 'served': True, 'storage': True,
                                  'schema': {'openAPIV3Schema': {'type': 'object', 'x-kubernetes-preserve-unknown-fields': True}}}]}}


def instant(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%S.%fZ')


def seconds_of(text):
    return datetime.datetime.fromisoformat(text.replace('Z', '+00:00')).timestamp()


def duration(text):
    return sum(float(number) * {'h': 3600, 'm': 60, 's': 1}[unit] for number, unit in re.findall(r'([\d.]+)([hms])', str(text)))


def trimmed(one):
    """What `karp record` keeps of an object."""
    one = copy.deepcopy(one)
    for name in ('managedFields', 'resourceVersion', 'selfLink', 'generation'):
        one['metadata'].pop(name, None)
    one['metadata'].get('annotations', {}).pop('kubectl.kubernetes.io/last-applied-configuration', None)
    if one['kind'] == 'Pod':
        for key in ('containers', 'initContainers'):
            if key in one['spec']:
                one['spec'][key] = [{name: c[name] for name in OF_CONTAINERS if name in c} for c in one['spec'][key]]
        kept = ('phase', 'reason', 'conditions', 'startTime', 'nominatedNodeName')
        one['status'] = {name: one['status'][name] for name in kept if name in one.get('status', {})}
    if one['kind'] == 'Node':
        one['status'] = {name: one['status'][name] for name in ('allocatable', 'capacity', 'conditions', 'phase') if name in one.get('status', {})}
        for condition in one['status'].get('conditions', []):
            condition.pop('lastHeartbeatTime', None)
    return one


def condition_of(one, kind, status='True'):
    return next((c for c in one.get('status', {}).get('conditions', []) if c['type'] == kind and c['status'] == status), None)


class Watch:
    """The objects of a cluster as they change: lines of a recording, and figures."""

    def __init__(self, on, prices):
        self.on, self.prices, self.changes, self.now, self.written = on, prices, queue.Queue(), {}, {}
        self.nodes, self.pods, self.ended, self.failed = {}, {}, False, []
        self.threads = [threading.Thread(target=self.follow, args=(path,), daemon=True) for path in LISTS]
        for one in self.threads:
            one.start()

    def follow(self, path):
        version, kind = '', ''
        while not self.ended:
            try:
                if not version:
                    listed = self.on.ask('GET', path)
                    version, kind = listed['metadata']['resourceVersion'], listed['kind'].removesuffix('List')
                    for one in listed['items']:
                        self.changes.put((time.time(), 'ADDED', {'apiVersion': listed['apiVersion'], 'kind': kind, **one}))
                connection = self.on.connect(600)
                connection.request('GET', f'{path}?watch=1&resourceVersion={version}&allowWatchBookmarks=true', headers={'Authorization': f'Bearer {plane.TOKEN}'})
                for line in connection.getresponse():
                    event = json.loads(line)
                    if event['type'] == 'ERROR':
                        version = ''
                        break
                    version = event['object']['metadata']['resourceVersion']
                    if event['type'] != 'BOOKMARK':
                        self.changes.put((time.time(), event['type'], event['object']))
            except (OSError, ValueError) as error:
                if not self.ended:
                    self.failed.append(f'{path}: {error}')
                time.sleep(0.5)

    def note(self, at, one, gone):
        """Figures of nodes and pods."""
        meta, status = one['metadata'], one.get('status', {})
        if one['kind'] == 'NodeClaim':
            labels = meta.get('labels', {})
            n = self.nodes.setdefault(meta['name'], {'launched': seconds_of(meta['creationTimestamp']), 'pool': labels.get('karpenter.sh/nodepool')})
            for name, key in (('type', 'node.kubernetes.io/instance-type'), ('zone', 'topology.kubernetes.io/zone'), ('capacityType', 'karpenter.sh/capacity-type')):
                n[name] = labels.get(key) or n.get(name)
            if n['type']:
                n['price'] = self.prices.get((n['type'], n['zone'], n['capacityType']), 0)
            if condition_of(one, 'Registered'):
                n.setdefault('registered', seconds_of(condition_of(one, 'Registered')['lastTransitionTime']))
            if condition_of(one, 'Initialized'):
                n.setdefault('ready', at)
            if condition_of(one, 'DisruptionReason'):
                n.setdefault('reason', condition_of(one, 'DisruptionReason')['reason'])
            if meta.get('deletionTimestamp'):
                n.setdefault('deleting', at)
            if gone:
                n.setdefault('deleted', at)
        if one['kind'] == 'Pod' and not any(owner['kind'] == 'DaemonSet' for owner in meta.get('ownerReferences', [])):
            p = self.pods.setdefault(meta['uid'], {'name': meta['name'], 'created': at})
            if one['spec'].get('nodeName'):
                p.setdefault('bound', at)
                p['node'] = one['spec']['nodeName']
            if status.get('phase') in ('Succeeded', 'Failed'):
                p.setdefault('ended', at)
            disrupted = condition_of(one, 'DisruptionTarget')
            if disrupted:
                p.setdefault('disrupted', disrupted['reason'])
            if meta.get('deletionTimestamp'):
                p.setdefault('deleting', at)
            if gone:
                p.setdefault('deleted', at)

    def take(self):
        """Applies what has come since; the line for it, or None."""
        touched = {}
        while not self.changes.empty():
            at, what, one = self.changes.get()
            if one['kind'] == 'Event' and 'karpenter' not in (one.get('reportingComponent'), one.get('source', {}).get('component')):
                continue
            key = f"{one['kind']}/{one['metadata'].get('namespace', 'default')}/{one['metadata']['name']}"
            self.note(at, one, what == 'DELETED')
            if what == 'DELETED':
                self.now.pop(key, None)
            else:
                self.now[key] = trimmed(one)
            touched[key] = True
        first = not self.written
        changed = [self.now[key] for key in touched if key in self.now and self.written.get(key) != self.now[key]]
        gone = [key for key in touched if key not in self.now and key in self.written]
        self.written = dict(self.now)
        if first:
            return {'apiVersion': 'karp/v1', 'kind': 'Recording', 'now': instant(time.time()), 'objects': changed}
        return {'now': instant(time.time()), 'changed': changed, 'gone': gone} if changed or gone else None

    def sample(self, begins):
        claims = [name[len('NodeClaim/default/'):] for name in self.now if name.startswith('NodeClaim/')]
        pods = [one for one in self.now.values() if one['kind'] == 'Pod' and one['status'].get('phase') not in ('Succeeded', 'Failed')]
        waiting = sum(not one['spec'].get('nodeName') and not one['metadata'].get('deletionTimestamp') for one in pods)
        return [round(time.time() - begins, 1), len(claims), sum('ready' in self.nodes[c] for c in claims), waiting, len(pods) - waiting,
                round(sum(self.nodes[c].get('price', 0) for c in claims), 6)]


class Agents:
    """What runs on nodes, or drives storage, in other clusters, and how late the API server answers."""

    def __init__(self, on, watch):
        self.on, self.watch, self.ended, self.answers = on, watch, False, []
        self.done, self.thread = set(), threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def untaint(self, node):
        """Karpenter adds the startup taints again before a node is registered."""
        name = node['metadata']['name']
        claim = next((one for one in list(self.watch.now.values()) if one['kind'] == 'NodeClaim' and one.get('status', {}).get('nodeName') == name), None)
        gone = [(t['key'], t['effect']) for t in (claim or {}).get('spec', {}).get('startupTaints', [])]
        if name in self.done or not gone or node['metadata']['labels'].get('karpenter.sh/registered') != 'true':
            return
        kept = [t for t in node['spec'].get('taints', []) if (t['key'], t['effect']) not in gone]
        self.on.ask('PATCH', f'/api/v1/nodes/{name}', {'spec': {'taints': kept}}, 'application/merge-patch+json')
        self.done.add(name)

    def provision(self, claim):
        """A volume for a claim whose pod has a node, in its zone."""
        meta, spec = claim['metadata'], claim['spec']
        node = meta.get('annotations', {}).get('volume.kubernetes.io/selected-node')
        if not node or spec.get('volumeName') or meta['uid'] in self.done or f'Node/default/{node}' not in self.watch.now:
            return
        zone = self.watch.now[f'Node/default/{node}']['metadata']['labels']['topology.kubernetes.io/zone']
        where = {'nodeSelectorTerms': [{'matchExpressions': [{'key': 'topology.kubernetes.io/zone', 'operator': 'In', 'values': [zone]}]}]}
        self.on.apply({'apiVersion': 'v1', 'kind': 'PersistentVolume', 'metadata': {'name': f"pvc-{meta['uid']}"},
                       'spec': {'accessModes': spec['accessModes'], 'capacity': spec['resources']['requests'], 'storageClassName': spec['storageClassName'],
                                'csi': {'driver': DRIVER['metadata']['name'], 'volumeHandle': meta['uid']}, 'nodeAffinity': {'required': where},
                                'claimRef': {'apiVersion': 'v1', 'kind': 'PersistentVolumeClaim', 'namespace': meta['namespace'], 'name': meta['name'], 'uid': meta['uid']}}})
        self.done.add(meta['uid'])

    def run(self):
        asked = 0
        while not self.ended:
            for one in list(self.watch.now.values()):
                try:
                    if one['kind'] == 'Node':
                        self.untaint(one)
                    elif one['kind'] == 'PersistentVolumeClaim':
                        self.provision(one)
                except OSError:
                    pass  # it has changed since: the next look sees it
            if time.monotonic() - asked >= 1:
                asked = time.monotonic()
                self.on.ask('GET', '/api/v1/namespaces/default')
                self.answers.append(time.monotonic() - asked)
            time.sleep(0.1)


def prices_of(types):
    found = {}
    for kind in json.loads(types.read_text()):
        for offering in kind['offerings']:
            needs = {one['key']: one['values'] for one in offering['Requirements']}
            for zone in needs['topology.kubernetes.io/zone']:
                for capacity in needs['karpenter.sh/capacity-type']:
                    found[kind['name'], zone, capacity] = offering['Price']
    return found


def objects_of(given, folder):
    """Those of a step: in place, a list of them, or a file beside the story."""
    if isinstance(given, str):
        given = [one for one in yaml.safe_load_all((folder / given).read_text()) if one]
    return given if isinstance(given, list) else [given]


def begins_with(one):
    """Whether there are pods or nodes as soon as the object is there: that is when the play begins."""
    return one['kind'] in WORKLOADS or one['kind'] == 'NodePool' and 'replicas' in one['spec']


class Play:
    def __init__(self, on, story, folder, watch, write):
        self.on, self.story, self.folder, self.watch, self.write = on, story, folder, watch, write
        self.usage, self.steps, self.samples, self.begins, self.ticks = {}, [], [], 0, []
        self.kinds = {one['kind'].lower(): one for one in story.get('objects', [])}

    def report_usage(self):
        """What the pods use, each the same share, as a metrics server would say it."""
        for (namespace, name), amounts in self.usage.items():
            chosen = self.on.ask('GET', f'/apis/apps/v1/namespaces/{namespace}/deployments/{name}')['spec']['selector']['matchLabels']
            pods = [one for one in self.watch.now.values() if one['kind'] == 'Pod' and one['status'].get('phase') == 'Running' and
                    one['metadata']['namespace'] == namespace and chosen.items() <= one['metadata'].get('labels', {}).items()]
            for one in pods:
                container = one['spec']['containers'][0]['name']
                share = {resource: f'{round(amount * 1000 / len(pods))}m' for resource, amount in amounts.items()}
                self.on.apply({'apiVersion': 'metrics.k8s.io/v1beta1', 'kind': 'PodMetrics',
                               'metadata': {'name': one['metadata']['name'], 'namespace': namespace, 'labels': one['metadata'].get('labels', {})},
                               'timestamp': instant(int(time.time()))[:19] + 'Z', 'window': '15s', 'containers': [{'name': container, 'usage': share}]})

    def until(self, end):
        sampled, told = 0, 0
        while True:
            now = time.time()
            self.write(self.watch.take())
            if now - sampled >= EVERY:
                self.samples.append(self.watch.sample(self.begins))
                sampled = now
            if self.usage and now - told >= 5:
                self.report_usage()
                told = now
            if now >= end:
                return
            rest = max(0, min(FLUSH, end - time.time()))
            time.sleep(rest)
            self.ticks.append(time.time() - now - rest)

    def interrupt(self, given):
        wanted = given.get('selector', {})
        found = [one for one in self.watch.now.values() if one['kind'] == 'NodeClaim' and not one['metadata'].get('deletionTimestamp') and
                 {**wanted, 'karpenter.sh/capacity-type': 'spot'}.items() <= one['metadata']['labels'].items()]
        found.sort(key=lambda one: one['metadata']['creationTimestamp'])
        for one in found[:given.get('nodes', len(found))]:
            self.on.delete(one)

    def take(self, step):
        (verb, given), = step.items()
        if verb == 'scale':
            self.on.ask('PATCH', f"/apis/apps/v1/namespaces/{given.get('namespace', 'default')}/deployments/{given['deployment']}", {'spec': {'replicas': given['replicas']}},
                        'application/merge-patch+json')
        elif verb in ('apply', 'replace'):
            for one in objects_of(given, self.folder):
                self.kinds[one['kind'].lower()] = one
                (self.on.replace if verb == 'replace' else self.on.apply)(one)
        elif verb == 'delete':
            for text in given if isinstance(given, list) else [given]:
                kind, *space, name = text.split('/')
                like = self.kinds[SHORT.get(kind, kind).lower()]
                self.on.delete({'apiVersion': like['apiVersion'], 'kind': like['kind'], 'metadata': {'name': name, 'namespace': (space or ['default'])[0]}})
        elif verb == 'usage':
            units = {'cpu': lambda text: float(text[:-1]) / 1000 if text.endswith('m') else float(text),
                     'memory': lambda text: float(text[:-2]) * 1024 ** (1 + 'KMGT'.index(text[-2])) if text.endswith('i') else float(text)}
            self.usage[given.get('namespace', 'default'), given['deployment']] = {name: units[name](str(given[name])) for name in units if name in given}
        elif verb == 'interrupt':
            self.interrupt(given)
        else:
            raise SystemExit(f'a step that is not played: {verb}')

    def play(self):
        self.begins = end = time.time()
        for one in self.story.get('objects', []):
            if begins_with(one):
                self.on.apply(one)
        for step in self.story['steps']:
            if 'wait' in step:
                end += duration(step['wait'])
                self.until(end)
            else:
                self.take(step)
                self.steps.append([round(time.time() - self.begins, 2), *step])
        return time.time()


def quantile(values, part):
    return round(sorted(values)[min(len(values) - 1, int(part * len(values)))], 1) if values else 0


def lateness(play, agents, watch, boot):
    """How late each kind was almost always, and at most; and the kinds that were too late."""
    late = {'ticks': play.ticks, 'answers': agents.answers, 'registrations': [n['registered'] - n['launched'] - boot for n in watch.nodes.values() if 'registered' in n]}
    late = {name: [round(sorted(found)[int(.99 * (len(found) - 1))], 2), round(max(found), 2)] for name, found in late.items() if found}
    return late, [name for name, (often, most) in late.items() if often > LATE[name][0] or most > LATE[name][1]]


def figures(play, watch, ended):
    nodes, waits, begins = watch.nodes.values(), [], play.begins
    for pod in watch.pods.values():
        waits.append(pod.get('bound', pod.get('deleting', pod.get('deleted', ended))) - pod['created'])
    hours = [((n.get('deleted') or ended) - n['launched']) / 3600 for n in nodes]
    evicted = collections.Counter(p['disrupted'] for p in watch.pods.values() if 'disrupted' in p)
    return {'begins': begins, 'seconds': ended - begins, 'dollars': sum(n.get('price', 0) * h for n, h in zip(nodes, hours)), 'nodeHours': sum(hours), 'launches': len(watch.nodes),
            'evictions': evicted.get('EvictionByEvictionAPI', 0), 'preemptions': evicted.get('PreemptionByScheduler', 0), 'pods': len(watch.pods),
            'pendingSeconds': {'p50': quantile(waits, .5), 'p99': quantile(waits, .99)}, 'steps': play.steps, 'samples': play.samples}


def wait_for_minute(story):
    """Schedules go by the clock: the play begins as many seconds after an even minute as the story."""
    if 'schedule:' in yaml.safe_dump(story):
        time.sleep((seconds_of(story['start']) - time.time()) % 120)


def karp_records(path, folder):
    """RECORD_WITH is karp: it records the same with kubectl, beside."""
    if not os.environ.get('RECORD_WITH'):
        return None
    path.unlink(missing_ok=True)
    return subprocess.Popen([os.environ['RECORD_WITH'], 'record', path, '--every', f'{FLUSH}s', '--kubeconfig', f'{folder}/kubeconfig'])


def record_once(programs, path, number, into, boot):
    story = yaml.safe_load(path.read_text())
    types = path.parent / 'types.json'
    name = f'{path.stem}.{number}'
    with tempfile.TemporaryDirectory() as folder, gzip.open(into / f'{name}.jsonl.gz', 'wt', compresslevel=9) as out, \
            plane.Plane(programs, folder, types, agree.gates_of(path)) as on:
        for one in (METRICS, DRIVER, {**CLASS, 'spec': {'nodeRegistrationDelay': f'{boot}s'}}):
            on.apply(one)
        on.wait('the default namespace', lambda: on.ask('GET', '/api/v1/namespaces/default'), 60)
        for one in story.get('objects', []):
            if not begins_with(one):
                on.apply(one)
        time.sleep(5)
        watch = Watch(on, prices_of(types))
        agents = Agents(on, watch)
        beside = karp_records(into / f'{name}.karp.jsonl', folder)
        time.sleep(2)
        wait_for_minute(story)
        said = lambda line: line and out.write(json.dumps(line, separators=(',', ':')) + '\n')
        play = Play(on, story, path.parent, watch, said)
        ended = play.play()
        watch.ended = agents.ended = True
        agents.thread.join()
        if beside:
            beside.terminate()
            beside.wait()
        said(watch.take())
        late, spoiled = lateness(play, agents, watch, boot)
        found = {'story': path.name, 'boot': boot, 'versions': {n: plane.version(n) for n in plane.VERSIONS}, 'late': late, 'spoiled': spoiled,
                 'loadAverage': [round(x, 1) for x in os.getloadavg()], 'failures': watch.failed, **figures(play, watch, ended)}
        (into / f'{name}.json').write_text(json.dumps(found, separators=(',', ':')) + '\n')
        if os.environ.get('KEEP_LOGS'):
            for log in pathlib.Path(folder).glob('*.log'):
                (pathlib.Path(os.environ['KEEP_LOGS']) / f'{name}.{log.name}').write_bytes(log.read_bytes())
    print(f"{name}: {found['dollars']:.4f} $, {found['nodeHours']:.3f} node-hours, {found['launches']} launches, {found['evictions']} evictions, {found['pods']} pods" +
          f"; late {late}" * bool(spoiled), flush=True)
    return spoiled


def record(*words):
    for _ in range(1 + REPEATS):
        if not record_once(*words):
            return


def record_all(programs, stories, into=None, runs=1, at_once=1, boot=15):
    """So many runs more of each story."""
    plane.build(programs.resolve())
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        todo = []
        for path in stories:
            beside = into or path.parent
            free = [number for number in range(1, 1000) if not (beside / f'{path.stem}.{number}.json').exists()]
            todo += [pool.submit(record, programs, path, number, beside, boot) for number in free[:runs]]
        for one in todo:
            one.result()


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument('programs', type=pathlib.Path)
    words.add_argument('stories', type=pathlib.Path, nargs='+')
    words.add_argument('--into', type=pathlib.Path)
    words.add_argument('--runs', type=int, default=1)
    words.add_argument('--at-once', type=int, default=1)
    words.add_argument('--boot', type=int, default=15, help='seconds from the launch of a node to its registration')
    given = words.parse_args()
    record_all(given.programs, given.stories, given.into, given.runs, given.at_once, given.boot)


if __name__ == '__main__':
    main()
