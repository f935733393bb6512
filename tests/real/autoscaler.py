#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/autoscaler in C and in Python on a real control plane: killed and started again while it creates, no node is launched twice and no pod is left.

    KARP_BUILD=build python3 tests/real/autoscaler.py FOLDER [C | Python …] [--pods 1000] [--kill 5,20,45]

FOLDER has the programs that plane.py builds. All of it runs on 127.0.0.1 in a temporary folder. The cloud is a thread here: a NodeClaim gets a provider ID, then a Node, in about a second each.
"""
import argparse
import os
import pathlib
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

from plane import TOKEN, Plane

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get('KARP_BUILD', 'build')).resolve()
ZONE, CORES, PER_NODE = 'us-west-2a', '250m', 15  # m5.xlarge has 3.92 cores for pods
CAPACITY = {'cpu': '3920m', 'memory': '14Gi', 'pods': '58', 'ephemeral-storage': '17Gi'}
CLAIMS = '/apis/karpenter.sh/v1/nodeclaims'
LABELS = {'node.kubernetes.io/instance-type': 'm5.xlarge', 'topology.kubernetes.io/zone': ZONE, 'karpenter.sh/capacity-type': 'on-demand'}
WORDS = {'C': lambda port: [BUILD / 'examples/example-autoscaler', '127.0.0.1', str(port)],
         'Python': lambda port: [sys.executable, SOURCE / 'examples/autoscaler/autoscaler.py', f'http://127.0.0.1:{port}']}


def conditions(*kinds):
    now = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())
    return [{'type': kind, 'status': 'True', 'reason': kind, 'message': '', 'lastTransitionTime': now} for kind in kinds]


def proxy(plane):
    """What `kubectl proxy` is: HTTP in, HTTPS with the token out, one request for each connection."""
    def pump(source, into):
        try:
            while True:
                part = source.recv(65536)
                if not part:
                    break
                into.sendall(part)
        except OSError:
            pass

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            head = b''
            while b'\r\n\r\n' not in head:
                part = self.request.recv(65536)
                if not part:
                    return
                head += part
            first, _, rest = head.partition(b'\r\n')
            with socket.create_connection(('127.0.0.1', plane.port)) as raw, plane.tls.wrap_socket(raw) as out:
                out.sendall(first + b'\r\nAuthorization: Bearer ' + TOKEN.encode() + b'\r\nConnection: close\r\n' + rest)
                threading.Thread(target=pump, args=(self.request, out), daemon=True).start()
                pump(out, self.request)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads, allow_reuse_address, block_on_close = True, True, False

    server = Server(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def fill(plane, pods):
    pool = plane.ask('POST', '/apis/karpenter.sh/v1/nodepools', {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'}, 'spec': {
        'disruption': {'consolidateAfter': 'Never', 'consolidationPolicy': 'WhenEmpty'},
        'template': {'spec': {'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}, 'expireAfter': 'Never', 'requirements': [
            {'key': key, 'operator': 'In', 'values': [value]} for key, value in LABELS.items()]}}}})
    pool['status'] = {'conditions': conditions('Ready', 'ValidationSucceeded', 'NodeClassReady')}
    plane.ask('PUT', '/apis/karpenter.sh/v1/nodepools/default/status', pool)
    for i in range(pods):
        plane.ask('POST', '/api/v1/namespaces/default/pods', {'metadata': {'name': f'web-{i:04d}', 'labels': {'app': 'web'}}, 'spec': {'containers': [
            {'name': 'main', 'image': 'registry.example/web', 'resources': {'requests': {'cpu': CORES, 'memory': '128Mi'}}}]}})


def launch(plane):
    """The cloud: what has no provider ID gets one; what has one and no Node gets a Node; then it is Registered and Initialized."""
    nodes = {item['metadata']['name'] for item in plane.ask('GET', '/api/v1/nodes')['items']}
    for claim in plane.ask('GET', CLAIMS)['items']:
        name, status = claim['metadata']['name'], claim.get('status', {})
        where = f'{CLAIMS}/{name}'
        if not status.get('providerID'):
            plane.ask('PATCH', where, {'metadata': {'labels': LABELS}}, 'application/merge-patch+json')
            plane.ask('PATCH', f'{where}/status', {'status': {'providerID': f'aws:///{ZONE}/{name}', 'capacity': CAPACITY, 'allocatable': CAPACITY,
                                                              'conditions': conditions('Launched')}}, 'application/merge-patch+json')
        elif name not in nodes:
            labels = {**claim['metadata'].get('labels', {}), **LABELS, 'kubernetes.io/hostname': name, 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true'}
            plane.ask('POST', '/api/v1/nodes', {'metadata': {'name': name, 'labels': labels}, 'spec': {'providerID': status['providerID']},
                                                'status': {'capacity': CAPACITY, 'allocatable': CAPACITY, 'conditions': conditions('Ready')}})
            plane.ask('PATCH', f'{where}/status', {'status': {'nodeName': name, 'conditions': conditions('Launched', 'Registered', 'Initialized')}}, 'application/merge-patch+json')


def play(name, programs, pods, kills):
    """Counts of what there is when every pod is bound and nothing happens any more."""
    with tempfile.TemporaryDirectory() as folder, Plane(programs, pathlib.Path(folder)) as plane:
        fill(plane, pods)
        entry, began, ended = proxy(plane), time.monotonic(), []
        environment = {**os.environ, 'PYTHONPATH': str(SOURCE / 'bindings/python'), 'KARP_LIBRARY': str(BUILD / 'lib'), 'LD_LIBRARY_PATH': str(BUILD / 'lib')}
        start = lambda: subprocess.Popen([str(word) for word in WORDS[name](entry.server_address[1])], env=environment, stdout=subprocess.DEVNULL)
        program, still = start(), 0
        try:
            while still < 10:
                claims = len(plane.ask('GET', CLAIMS)['items'])
                if len(ended) < len(kills) and claims >= kills[len(ended)]:
                    program.send_signal(signal.SIGKILL)  # in the middle of creating, or between two rounds
                    program.wait()
                    ended.append(claims)
                    program = start()
                if claims == len(plane.ask('GET', CLAIMS)['items']):  # the cloud is slow: it launches when no claim was just created
                    launch(plane)
                waiting = sum('nodeName' not in pod['spec'] for pod in plane.ask('GET', '/api/v1/pods')['items'])
                still = still + 1 if waiting == 0 and len(ended) == len(kills) else 0
                if time.monotonic() - began > 1200 or program.poll() is not None:
                    sys.exit(f'{name}: {waiting} pods wait, {claims} NodeClaims, {program.poll()}')
                time.sleep(0.05 if len(ended) < len(kills) else 0.5)
        finally:
            program.kill()
            program.wait()
            entry.shutdown()
        items = plane.ask('GET', '/api/v1/pods')['items']
        return {'pods': len(items), 'bound': sum('nodeName' in pod['spec'] for pod in items), 'running': sum(pod['status'].get('phase') == 'Running' for pod in items),
                'claims': len(plane.ask('GET', CLAIMS)['items']), 'nodes': len(plane.ask('GET', '/api/v1/nodes')['items']), 'killed': ended,
                'seconds': round(time.monotonic() - began)}


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument('folder', type=pathlib.Path)
    words.add_argument('programs', nargs='*', default=list(WORDS))
    words.add_argument('--pods', type=int, default=1000)
    words.add_argument('--kill', default='5,20,45', help='after so many NodeClaims')
    given = words.parse_args()
    kills, failed = [int(count) for count in given.kill.split(',') if count], 0
    for name in given.programs:
        found = play(name, given.folder.resolve(), given.pods, kills)
        least = -(-given.pods // PER_NODE)
        good = found['claims'] == found['nodes'] == least and found['bound'] == found['pods'] == given.pods
        failed += not good
        print(f'{name}: {found["bound"]} of {found["pods"]} pods bound, {found["running"]} run; {found["claims"]} NodeClaims, {found["nodes"]} Nodes, {least} needed; '
              f'killed when there were {found["killed"]}; {found["seconds"]} s{"" if good else ": WRONG"}', flush=True)
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
