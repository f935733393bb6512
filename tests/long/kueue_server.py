# SPDX-License-Identifier: Apache-2.0
"""Builds etcd and kube-apiserver from their modules, and runs the admission check of bindings/go/examples/kueue against them.

    kueue_server.py FOLDER        what was built stays in FOLDER; $KUBERNETES and $ETCD are the versions

It needs Go, the network (or a module cache), and a build of the libraries in $KARP_BUILD or ../../build. The servers listen on ports that
are free, unless $TEST_ASSET_... of controller-runtime's envtest say otherwise.
"""
import json
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault('KARP_SOURCE', str(SOURCE))
os.environ.setdefault('KARP_BUILD', str(SOURCE / 'build'))
sys.path.insert(0, str(SOURCE / 'tests/bindings'))
import test_go # noqa: E402

KUBERNETES, ETCD = os.environ.get('KUBERNETES', '1.36.3'), os.environ.get('ETCD', '3.7.3')
APISERVER = '''package main

import (
    "os"

    "k8s.io/component-base/cli"
    "k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() { os.Exit(cli.Run(app.NewAPIServerCommand())) }
'''


def go(folder, *words):
    env = os.environ | {'GOFLAGS': '-mod=mod', 'CGO_ENABLED': '0'}
    return subprocess.run(['go', *words], cwd=folder, check=True, stdout=subprocess.PIPE, text=True, env=env).stdout


def build(assets, name, text, module, version, parts=None):
    if (assets / name).exists():
        return
    folder = assets / f'{name}.source'
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'main.go').write_text(text)
    (folder / 'go.mod').write_text(f'module {name}\n\ngo 1.26.0\n\nrequire {module} v{version}\n')
    if parts: # Kubernetes refers to its own parts by paths
        theirs = json.loads(go(folder, 'mod', 'download', '-json', f'{module}@v{version}'))['GoMod']
        staged = sorted({line.split()[0] for line in pathlib.Path(theirs).read_text().splitlines() if '=> ./staging' in line})
        with (folder / 'go.mod').open('a') as out:
            out.writelines(f'replace {p} => {p} v{parts}\n' for p in staged)
    go(folder, 'mod', 'tidy')
    go(folder, 'build', '-ldflags=-s', '-o', str(assets / name), '.' if parts else module)


def main():
    skip = test_go.reason_to_skip()
    if skip or len(sys.argv) != 2:
        sys.exit(skip or __doc__)
    assets = pathlib.Path(sys.argv[1]).resolve()
    build(assets, 'kube-apiserver', APISERVER, 'k8s.io/kubernetes', KUBERNETES, '0.' + KUBERNETES.removeprefix('1.'))
    build(assets, 'etcd', 'package main\n\nimport _ "go.etcd.io/etcd/server/v3/etcdmain"\n\nfunc main() {}\n', 'go.etcd.io/etcd/server/v3', ETCD)
    print(test_go.go('test', '-count=1', '-v', '-run', 'TestServer', '.', folder=test_go.GO / 'examples/kueue', KUBEBUILDER_ASSETS=str(assets)))


if __name__ == '__main__':
    main()
