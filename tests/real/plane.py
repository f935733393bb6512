#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real control plane on this machine: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok as kubelets, and Karpenter with its kwok provider.

    python3 tests/real/plane.py FOLDER      builds the programs from Go modules (a quarter of an hour on two idle cores)

The versions are pinned below; KUBERNETES, KARPENTER, KWOK and ETCD in the environment are others. Several planes run side by side: ports are those that are
free, or from PORT on.
"""
import http.client
import json
import os
import pathlib
import socket
import ssl
import subprocess
import sys
import time

VERSIONS = {'KUBERNETES': '1.36.3', 'KARPENTER': '1.15.0', 'KWOK': '0.8.0', 'ETCD': '3.7.3'}
TOKEN = 'secret'  # of a server that lives for minutes on this machine
HYPER = '''package main

import (
    "os"

    "k8s.io/component-base/cli"
    apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
    manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
    scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
    os.Args = os.Args[1:]
    switch os.Args[0] {
    case "kube-apiserver":
        os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
    case "kube-controller-manager":
        os.Exit(cli.Run(manager.NewControllerManagerCommand()))
    case "kube-scheduler":
        os.Exit(cli.Run(scheduler.NewSchedulerCommand()))
    }
    os.Exit(2)
}
'''
# A pod of a Job completes, and one with kwok's label for that fails, after the time that kwok's annotations say.
STAGES = ('node/fast/*', 'pod/fast/pod-ready', 'pod/fast/pod-delete', 'pod/general/pod-complete', 'pod/chaos/pod-container-running-failed', 'node/heartbeat-with-lease/*')
IDLE = ('node-ipam-controller', 'node-route-controller', 'cloud-node-lifecycle-controller', 'service-lb-controller', 'certificatesigningrequest-signing-controller')
LATEST = 'auto'  # Go's toolchain: as the module asks


def version(name):
    return os.environ.get(name, VERSIONS[name])


def go(folder, *words, toolchain=LATEST):
    environment = {**os.environ, 'CGO_ENABLED': '0', 'GOTOOLCHAIN': toolchain}
    return subprocess.run(['go', *words], cwd=folder, env=environment, check=True, text=True, stdout=subprocess.PIPE).stdout


def module(name, of):
    """The folder with the source of a Go module."""
    return pathlib.Path(json.loads(go('/', 'mod', 'download', '-json', f'{name}@v{of}'))['Dir'])


def build_tool(folder, name, package, of_module, of):
    at = folder / name
    if (at / name).exists():
        return
    at.mkdir(parents=True, exist_ok=True)
    said = json.loads(go('/', 'mod', 'download', '-json', f'{of_module}@v{of}'))
    needs = next(line for line in pathlib.Path(said['GoMod']).read_text().splitlines() if line.startswith('go '))
    (at / 'go.mod').write_text(f'module tool\n\n{needs}\n\nrequire {of_module} v{of}\n')
    (at / 'tool.go').write_text(f'//go:build tools\n\npackage tool\n\nimport _ "{package}"\n')
    go(at, 'mod', 'tidy')
    go(at, 'build', '-ldflags=-s -w', '-o', name, package)


def build_hyper(folder):
    """The three programs of Kubernetes in one. Its parts in staging are modules of the same version."""
    at, of = folder / 'hyper', version('KUBERNETES')
    if (at / 'hyper').exists():
        return
    at.mkdir(parents=True, exist_ok=True)
    lines = pathlib.Path(json.loads(go('/', 'mod', 'download', '-json', f'k8s.io/kubernetes@v{of}'))['GoMod']).read_text().splitlines()
    needs = next(line for line in lines if line.startswith('go '))
    parts = sorted({line.split()[0] for line in lines if '=> ./staging' in line})
    (at / 'main.go').write_text(HYPER)
    (at / 'go.mod').write_text(f'module hyper\n\n{needs}\n\nrequire k8s.io/kubernetes v{of}\n' +
                               ''.join(f'replace {part} => {part} v0.{of.partition(".")[2]}\n' for part in parts))
    go(at, 'mod', 'tidy')
    go(at, 'build', '-ldflags=-s -w', '-o', 'hyper', '.')


def build(folder):
    build_hyper(folder)
    build_tool(folder, 'etcd', 'go.etcd.io/etcd/server/v3', 'go.etcd.io/etcd/server/v3', version('ETCD'))
    build_tool(folder, 'kwok', 'sigs.k8s.io/kwok/cmd/kwok', 'sigs.k8s.io/kwok', version('KWOK'))
    build_tool(folder, 'karpenter', 'sigs.k8s.io/karpenter/kwok', 'sigs.k8s.io/karpenter', version('KARPENTER'))


def ports(count):
    first = int(os.environ.get('PORT', 0))
    if first:
        return [first + i for i in range(count)]
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(('127.0.0.1', 0))
    found = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return found


class Plane:
    """A control plane that is up while it is entered. `types`: Karpenter runs, with these instance types; otherwise neither it nor the controllers do."""

    def __init__(self, programs, folder, types=None, gates=''):
        self.programs, self.folder, self.types, self.gates = pathlib.Path(programs).resolve(), pathlib.Path(folder), types, gates
        self.port, self.etcd, self.peer, self.metrics, self.health = ports(5)
        self.running, self.names = [], {}
        self.tls = ssl._create_unverified_context()  # its certificate is its own

    def run(self, name, *words, **environment):
        log = open(self.folder / f'{name}.log', 'wb')
        self.running.append(subprocess.Popen([str(word) for word in words], cwd=self.folder, stdout=log, stderr=log, env={**os.environ, **environment}))

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for program in reversed(self.running):
            program.kill()
            program.wait()

    def start(self):
        subprocess.run(['openssl', 'genrsa', '-out', 'sa.key', '2048'], cwd=self.folder, check=True, stderr=subprocess.DEVNULL)
        (self.folder / 'tokens.csv').write_text(f'{TOKEN},admin,admin,system:masters\n')
        (self.folder / 'kubeconfig').write_text(json.dumps({
            'apiVersion': 'v1', 'kind': 'Config', 'current-context': 'c', 'contexts': [{'name': 'c', 'context': {'cluster': 'c', 'user': 'u'}}],
            'clusters': [{'name': 'c', 'cluster': {'server': f'https://127.0.0.1:{self.port}', 'insecure-skip-tls-verify': True}}],
            'users': [{'name': 'u', 'user': {'token': TOKEN}}]}))
        hyper, store, peer = self.programs / 'hyper/hyper', f'http://127.0.0.1:{self.etcd}', f'http://127.0.0.1:{self.peer}'
        self.run('etcd', self.programs / 'etcd/etcd', '--data-dir', 'etcd', '--listen-client-urls', store, '--advertise-client-urls', store, '--listen-peer-urls', peer,
                 '--initial-advertise-peer-urls', peer, '--initial-cluster', f'default={peer}', '--unsafe-no-fsync')
        left_out = 'ServiceAccount' if self.types else 'ServiceAccount,TaintNodesByCondition'
        self.run('apiserver', hyper, 'kube-apiserver', f'--etcd-servers={store}', f'--secure-port={self.port}', '--bind-address=127.0.0.1', '--cert-dir=certs',
                 '--service-cluster-ip-range=10.96.0.0/16', '--service-account-issuer=https://127.0.0.1', '--service-account-key-file=sa.key',
                 '--service-account-signing-key-file=sa.key', '--authorization-mode=AlwaysAllow', '--token-auth-file=tokens.csv', f'--disable-admission-plugins={left_out}',
                 '--max-requests-inflight=2000', '--max-mutating-requests-inflight=1000')
        self.wait('the API server', lambda: self.ask('GET', '/readyz', plain=True) == b'ok', 300)
        self.define()
        self.run('scheduler', hyper, 'kube-scheduler', '--kubeconfig=kubeconfig', '--leader-elect=false', '--secure-port=0')
        if self.types:
            self.run('controllers', hyper, 'kube-controller-manager', '--kubeconfig=kubeconfig', '--leader-elect=false', '--secure-port=0', '--kube-api-qps=500',
                     '--kube-api-burst=1000', '--controllers=*,' + ','.join(f'-{name}' for name in IDLE))
        stages = module('sigs.k8s.io/kwok', version('KWOK')) / 'kustomize/stage'
        (self.folder / 'stages.yaml').write_text('\n---\n'.join(path.read_text() for pattern in STAGES for path in sorted(stages.glob(f'{pattern}.yaml'))
                                                                if path.stem != 'kustomization'))
        self.run('kwok', self.programs / 'kwok/kwok', '--kubeconfig=kubeconfig', '--manage-all-nodes=true', '--config=stages.yaml', '--node-lease-duration-seconds=40')
        if self.types:
            self.run('karpenter', self.programs / 'karpenter/karpenter', KUBECONFIG='kubeconfig', DISABLE_LEADER_ELECTION='true', METRICS_PORT=str(self.metrics),
                     HEALTH_PROBE_PORT=str(self.health), SYSTEM_NAMESPACE='kube-system', INSTANCE_TYPES_FILE_PATH=str(pathlib.Path(self.types).resolve()),
                     FEATURE_GATES=self.gates, LOG_LEVEL='info')

    def define(self):
        """Karpenter's kinds, and its provider's."""
        source = module('sigs.k8s.io/karpenter', version('KARPENTER'))
        paths = [*(source / 'kwok/charts/crds').glob('*.yaml'), *(source / 'kwok/apis/crds').glob('*.yaml')]
        for text in (path.read_bytes() for path in sorted(paths)):
            name = next(line.split()[1] for line in text.decode().splitlines() if line.startswith('  name: '))
            self.ask('PATCH', f'/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}?fieldManager=test&force=true', text, 'application/apply-patch+yaml')
        for plural in ('nodeclaims', 'nodepools'):
            self.wait(plural, lambda name=plural: 'items' in self.ask('GET', f'/apis/karpenter.sh/v1/{name}'), 60)

    def connect(self, timeout=60):
        return http.client.HTTPSConnection('127.0.0.1', self.port, context=self.tls, timeout=timeout)

    def ask(self, method, path, body=None, content='application/json', plain=False):
        connection = self.connect()
        connection.request(method, path, json.dumps(body) if isinstance(body, dict) else body, {'Authorization': f'Bearer {TOKEN}', 'Content-Type': content})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status >= 300:
            raise OSError(f'{method} {path}: {answer.status} {text.decode(errors="replace")[:500]}')
        return text if plain else json.loads(text)

    @staticmethod
    def wait(what, done, seconds):
        end, said = time.monotonic() + seconds, None
        while time.monotonic() < end:
            try:
                if done():
                    return
            except OSError as error:
                said = error
            time.sleep(0.5)
        sys.exit(f'{what}: not there after {seconds} s: {said}')

    def path(self, one, name=True):
        """Where an object, or with name=False its list, is."""
        group, kind = one['apiVersion'], one['kind']
        root = f'/apis/{group}' if '/' in group else f'/api/{group}'
        if (group, kind) not in self.names:
            for listed in self.ask('GET', root)['resources']:
                if '/' not in listed['name']:
                    self.names[group, listed['kind']] = (listed['name'], listed['namespaced'])
        plural, namespaced = self.names[group, kind]
        within = f'/namespaces/{one["metadata"].get("namespace", "default")}' if namespaced else ''
        return f'{root}{within}/{plural}' + (f'/{one["metadata"]["name"]}' if name else '')

    def apply(self, one):
        """Makes the object, or one of its name as it is here."""
        try:
            return self.ask('POST', self.path(one, False), one)
        except OSError as error:
            if ' 409 ' not in str(error):
                raise
        return self.ask('PATCH', f'{self.path(one)}?fieldManager=story&force=true', one, 'application/apply-patch+yaml')

    def replace(self, one):
        was = self.ask('GET', self.path(one))['metadata']
        return self.ask('PUT', self.path(one), {**one, 'metadata': {**one['metadata'], 'resourceVersion': was['resourceVersion'], 'uid': was['uid']}})

    def delete(self, one):
        return self.ask('DELETE', self.path(one), {'propagationPolicy': 'Background'})


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build(pathlib.Path(sys.argv[1]).resolve())
