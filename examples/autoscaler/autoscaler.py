#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A second autoscaler: it watches a cluster, plans with libkarp, and creates NodeClaims.   autoscaler.py http://127.0.0.1:8001

The address is that of `kubectl proxy`. It keeps nothing of its own: after a restart, what the API server has is all that it knows. It
plans only while every NodeClaim has a provider ID, as Karpenter does, since nobody knows before how large a node will be.
"""
import http.client
import json
import queue
import re
import sys
import threading
import time
import urllib.parse
from typing import Any, Dict, Iterator, Set, Tuple

import karp

KINDS = {'Pod': '/api/v1/pods', 'Node': '/api/v1/nodes', 'Namespace': '/api/v1/namespaces', 'DaemonSet': '/apis/apps/v1/daemonsets',
         'PersistentVolumeClaim': '/api/v1/persistentvolumeclaims', 'PersistentVolume': '/api/v1/persistentvolumes',
         'StorageClass': '/apis/storage.k8s.io/v1/storageclasses', 'NodePool': '/apis/karpenter.sh/v1/nodepools',
         'NodeClaim': '/apis/karpenter.sh/v1/nodeclaims'}
QUIET, PATIENCE = 0.2, 5  # it plans after so many seconds without an event, and so many at most: pods come in batches
Key = Tuple[str, str, str]  # kind, namespace, name
Object = Dict[str, Any]


class Refused(OSError):
    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Server:
    """An API server."""

    def __init__(self, address: str) -> None:
        self.host = urllib.parse.urlsplit(address).netloc

    def ask(self, method: str, path: str, body: str = '', content: str = 'application/json') -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(self.host, timeout=300)
        connection.request(method, path, body or None, {'Content-Type': content, 'Accept': 'application/json'})
        answer = connection.getresponse()
        if answer.status >= 300:
            raise Refused(answer.status, f'{method} {path}: {answer.status} {answer.read().decode(errors="replace")}')
        return answer

    def list(self, kind: str) -> Tuple[Dict[Key, Object], str]:
        found = json.load(self.ask('GET', KINDS[kind]))
        items = [{'apiVersion': found['apiVersion'], 'kind': kind, **item} for item in found['items']]
        return {key_of(item): item for item in items}, found['metadata']['resourceVersion']

    def watch(self, kind: str, version: str) -> Iterator[Object]:
        for line in self.ask('GET', f'{KINDS[kind]}?watch=1&resourceVersion={version}'):
            yield json.loads(line)

    def has(self, kind: str, name: str) -> bool:
        try:
            self.ask('GET', f'{KINDS[kind]}/{name}').read()
        except Refused as error:
            if error.status != 404:
                raise
            return False
        return True

    def create(self, claim: str) -> Object:
        """A NodeClaim of a plan, with a name that the server gives it."""
        return json.load(self.ask('POST', KINDS['NodeClaim'], re.sub(r'^  name: (\S+)-\d+$', r'  generateName: \1-', claim, flags=re.M), 'application/yaml'))


def key_of(item: Object) -> Key:
    return item['kind'], item['metadata'].get('namespace', ''), item['metadata']['name']


class Autoscaler:
    def __init__(self, server: Server, catalogue: karp.Catalogue) -> None:
        self.server, self.catalogue = server, catalogue
        self.objects: Dict[Key, Object] = {}
        self.created: Set[str] = set()  # NodeClaims that no event has shown yet
        self.events: 'queue.Queue[Tuple[str, str, Any]]' = queue.Queue()

    def follow(self, kind: str) -> None:
        """Lists, then watches; begins anew when the watch ends or has missed something. Runs in a thread for each kind."""
        while True:
            try:
                found, version = self.server.list(kind)
                self.events.put(('LIST', kind, found))
                for event in self.server.watch(kind, version):
                    if event['type'] == 'ERROR':  # 410 Gone: too old
                        break
                    self.events.put((event['type'], kind, event['object']))
            except (OSError, http.client.HTTPException) as error:
                print(error, file=sys.stderr)
            time.sleep(0.5)

    def take(self, what: str, kind: str, found: Any) -> None:
        if what == 'LIST':
            self.objects = {key: item for key, item in self.objects.items() if key[0] != kind}
            self.objects.update(found)
        elif what == 'DELETED':
            self.objects.pop(key_of(found), None)
        elif what != 'BOOKMARK':
            self.objects[key_of(found)] = found

    def settled(self) -> bool:
        """Every NodeClaim that was created is seen, and has a provider ID. Else the next round would launch for the same pods again."""
        claims = {name: item for (kind, _, name), item in self.objects.items() if kind == 'NodeClaim'}
        self.created = {name for name in self.created - claims.keys() if self.server.has('NodeClaim', name)}
        return not self.created and all(item.get('status', {}).get('providerID') for item in claims.values())

    def plan(self) -> None:
        plan = karp.load(list(self.objects.values()), catalogue=self.catalogue).plan()
        for claim in plan.to_yaml().split('---\n') if plan.launches else ():
            name = self.server.create(claim)['metadata']['name']
            self.created.add(name)
            print('created', name, flush=True)
        for pod in (*plan.unschedulable, *plan.ignored):
            print(pod.pod, pod.code, pod.message, flush=True)

    def run(self) -> None:
        for kind in KINDS:
            threading.Thread(target=self.follow, args=(kind,), daemon=True).start()
        listed = set()
        while True:
            what, kind, found = self.events.get()
            end = time.monotonic() + PATIENCE
            while True:
                self.take(what, kind, found)
                listed |= {kind} if what == 'LIST' else set()
                try:
                    what, kind, found = self.events.get(timeout=min(QUIET, max(end - time.monotonic(), 0)))
                except queue.Empty:
                    break
            if listed == set(KINDS) and self.settled():
                self.plan()


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    Autoscaler(Server(sys.argv[1]), karp.catalogue(region='us-west-2')).run()
