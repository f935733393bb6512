# SPDX-License-Identifier: Apache-2.0
"""A small API server for tests: lists, watches and creates, and a cloud that turns NodeClaims into Nodes and binds pods to them.

It stands in for kube-apiserver, kube-scheduler, the kubelet and a cloud provider. All pods are alike, so binding is first fit by CPU.
"""
import copy
import http.server
import json
import threading

def conditions(*kinds):
    return [{'type': kind, 'status': 'True', 'reason': kind, 'lastTransitionTime': '2026-01-01T00:00:00Z'} for kind in kinds]


READY = conditions('Ready')


def parse_yaml(text):
    """The block style that karp writes: mappings, lists of them or of scalars, quoted strings, [] and {}."""
    lines = [(len(line) - len(line.lstrip(' ')), line.strip()) for line in text.splitlines() if line.strip()]

    def scalar(word):
        return {'[]': [], '{}': {}}.get(word, json.loads(word) if word.startswith('"') else word)

    def block(at, depth):
        found = [] if lines[at][1].startswith('- ') else {}
        while at < len(lines) and lines[at][0] == depth and lines[at][1].startswith('- ') == isinstance(found, list):
            words = lines[at][1]
            if isinstance(found, list):
                if ': ' in words or words.endswith(':'):
                    lines[at] = (depth + 2, words[2:])
                    value, at = block(at, depth + 2)
                else:
                    value, at = scalar(words[2:]), at + 1
                found.append(value)
                continue
            name, _, rest = words.partition(':')
            name = scalar(name)
            if rest:
                found[name], at = scalar(rest.strip()), at + 1
            else:
                found[name], at = block(at + 1, lines[at + 1][0])
        return found, at

    return block(0, 0)[0]


class Cluster:
    """What the server has, and what happens in it."""

    def __init__(self, pods, cores, capacity, zone):
        self.lock = threading.Condition()
        self.version, self.log, self.stopped = 0, [], False
        self.objects = {}  # {collection: {key: object}}
        self.cores, self.capacity, self.zone = cores, capacity, zone
        self.created, self.watches, self.on_create = 0, 0, None
        self.put('nodepools', 'karpenter.sh/v1', 'NodePool', {'metadata': {'name': 'default'}, 'spec': {'template': {'spec': {
            'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}, 'expireAfter': '720h',
            'requirements': [{'key': 'node.kubernetes.io/instance-type', 'operator': 'In', 'values': ['m5.xlarge']},
                             {'key': 'topology.kubernetes.io/zone', 'operator': 'In', 'values': [zone]},
                             {'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['on-demand']}]}}},
            'status': {'conditions': conditions('Ready', 'ValidationSucceeded', 'NodeClassReady')}})
        self.put('namespaces', 'v1', 'Namespace', {'metadata': {'name': 'default'}})
        for i in range(pods):
            self.put('pods', 'v1', 'Pod', {'metadata': {'name': f'web-{i:04d}', 'namespace': 'default'}, 'spec': {'containers': [
                {'name': 'main', 'resources': {'requests': {'cpu': str(cores), 'memory': '1Gi'}}}]},
                'status': {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable'}]}})

    def put(self, collection, version, kind, item):
        """Adds or replaces an object, and tells watches of it."""
        with self.lock:
            key = (item['metadata'].get('namespace', ''), item['metadata']['name'])
            known = self.objects.setdefault(collection, {})
            self.version += 1
            item = {'apiVersion': version, 'kind': kind, **copy.deepcopy(item)}
            item['metadata'].update(resourceVersion=str(self.version), uid=f'{collection}-{key[1]}', creationTimestamp='2026-01-01T00:00:00Z')
            self.log.append((self.version, collection, 'MODIFIED' if key in known else 'ADDED', item))
            known[key] = item
            self.lock.notify_all()
            return item

    def create(self, claim):
        """A NodeClaim with a name of the server's; what on_create says may happen before anybody hears of it."""
        with self.lock:
            self.created += 1
            claim['metadata']['name'] = claim['metadata'].pop('generateName') + f'{self.created:05d}'
            made = self.put('nodeclaims', 'karpenter.sh/v1', 'NodeClaim', claim)
        if self.on_create:
            self.on_create(self.created)
        return made

    def launch(self):
        """The cloud launches what is not launched; nodes join; pods are bound. Returns what is left to do."""
        with self.lock:
            for claim in list(self.objects.get('nodeclaims', {}).values()):
                name = claim['metadata']['name']
                if 'status' not in claim:
                    claim = {**claim, 'status': {'providerID': f'aws:///{self.zone}/{name}', 'capacity': self.capacity, 'allocatable': self.capacity,
                                                 'conditions': conditions('Launched')}}
                    claim['metadata'] = {**claim['metadata'], 'labels': {**claim['metadata'].get('labels', {}), 'node.kubernetes.io/instance-type': 'm5.xlarge',
                                                                         'topology.kubernetes.io/zone': self.zone, 'karpenter.sh/capacity-type': 'on-demand'}}
                    self.put('nodeclaims', 'karpenter.sh/v1', 'NodeClaim', claim)
                elif ('', name) not in self.objects.get('nodes', {}):
                    labels = {**claim['metadata']['labels'], 'kubernetes.io/hostname': name, 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true'}
                    self.put('nodes', 'v1', 'Node', {'metadata': {'name': name, 'labels': labels}, 'spec': {'providerID': claim['status']['providerID']},
                                                     'status': {'capacity': self.capacity, 'allocatable': self.capacity, 'conditions': READY}})
                    self.put('nodeclaims', 'karpenter.sh/v1', 'NodeClaim', {**claim, 'status': {
                        **claim['status'], 'nodeName': name, 'conditions': conditions('Launched', 'Registered', 'Initialized')}})
            self.bind()
            return sum('nodeName' not in pod['spec'] for pod in self.objects['pods'].values())

    def bind(self):
        room = {name: int(float(self.capacity['cpu'].rstrip('m')) / 1000 / self.cores) for _, name in self.objects.get('nodes', {})}
        waiting = []
        for pod in self.objects['pods'].values():
            if 'nodeName' in pod['spec']:
                room[pod['spec']['nodeName']] -= 1
            else:
                waiting.append(pod)
        for pod in waiting:
            free = next((name for name, left in room.items() if left > 0), None)
            if free is None:
                return
            room[free] -= 1
            self.put('pods', 'v1', 'Pod', {**pod, 'spec': {**pod['spec'], 'nodeName': free}, 'status': {'phase': 'Running', 'conditions': READY}})


def handler(cluster):
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def reply(self, document, status=200):
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            path, _, query = self.path.partition('?')
            parts = path.strip('/').split('/')
            version, rest = ('v1', parts[2:]) if parts[0] == 'api' else ('/'.join(parts[1:3]), parts[3:])
            words = dict(part.split('=') for part in query.split('&') if part)
            if 'watch' in words:
                return self.watch(rest[0], int(words['resourceVersion']))
            with cluster.lock:
                known = dict(cluster.objects.get(rest[0], {}))
                now = str(cluster.version)
            if len(rest) == 2:
                found = known.get(('', rest[1]))
                return self.reply(found, 200) if found else self.reply({'kind': 'Status', 'reason': 'NotFound'}, 404)
            items = [{name: value for name, value in item.items() if name not in ('apiVersion', 'kind')} for item in known.values()]
            return self.reply({'apiVersion': version, 'kind': 'List', 'metadata': {'resourceVersion': now}, 'items': items})

        def watch(self, collection, since):
            self.send_response(200)
            self.end_headers()
            with cluster.lock:
                cluster.watches += 1
                cluster.lock.notify_all()
            try:
                while True:
                    with cluster.lock:
                        while not cluster.stopped and not any(v > since for v, *_ in cluster.log[-1:]):
                            cluster.lock.wait()
                        if cluster.stopped:
                            return
                        events = [event for event in cluster.log if event[0] > since]
                    since = events[-1][0]
                    lines = [json.dumps({'type': what, 'object': item}) + '\n' for _, where, what, item in events if where == collection]
                    self.wfile.write(''.join(lines).encode())
                    self.wfile.flush()
            except OSError:
                return

        def do_POST(self):
            body = self.rfile.read(int(self.headers['Content-Length'])).decode()
            made = cluster.create(parse_yaml(body))
            try:
                self.reply(made, 201)
            except OSError:  # who asked was killed
                pass

    return Handler


def serve(cluster):
    """The server, which runs in threads of its own."""
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler(cluster))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
