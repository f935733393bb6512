# SPDX-License-Identifier: Apache-2.0
"""The Go modules at length: races, cgo's own checks, linked statically; those that depend on Kubernetes' modules."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(os.environ['KARP_SOURCE'], 'tests/bindings')))
import test_go  # noqa: E402

FROM_NETWORK = [('corev1', 'local'), ('examples/controller', 'go1.26.9'), ('examples/kueue', 'local'), ('karpenter', 'go1.26.9')]  # with the Go that they need


def static_packages(folder):
    """karp-static.pc and karp-io-static.pc for the archives of the build folder."""
    lib = test_go.BUILD / 'lib'
    needs = subprocess.run(['pkg-config', '--libs', 'yaml-0.1'], capture_output=True, text=True, check=True).stdout.strip()
    for name, libraries in (('karp', '-l:libkarp.a -lm'), ('karp-io', f'-l:libkarp-io.a -l:libkarp.a {needs} -ldl -lm')):
        pathlib.Path(folder, f'{name}-static.pc').write_text(
            f'Name: {name}-static\nDescription: {name}, linked into the program\nVersion: 0\n'
            f'Cflags: -I{test_go.SOURCE}/include\nLibs: -L{lib} {libraries}\n')


def static():
    if not (test_go.BUILD / 'lib/libkarp.a').exists():
        print('this build has no archives')
        return
    with tempfile.TemporaryDirectory() as folder:
        static_packages(folder)
        print(test_go.go('test', '-count=1', '-tags', 'karp_static', './...', PKG_CONFIG_PATH=folder, LD_LIBRARY_PATH=''))


def doors(folder):
    """10,000 pods into the builder against JSON, in one run, the best of five each: docs/go.md has the figures."""
    said = test_go.go('test', '-run', 'none', '-bench', 'Door', '-benchtime', '3x', '-count', '5', '.', folder=folder)
    print(said)
    best = {}
    for name, took in re.findall(r'^BenchmarkDoor(\w+?)(?:-\d+)?\s+\d+\s+(\d+) ns/op', said, flags=re.M):
        best[name] = min(int(took), best.get(name, int(took)))
    return best['Typed'] * 4 <= best['Marshal'] and best['Typed'] * 5 <= best['JSON']


def main():
    skip = test_go.reason_to_skip()
    if skip:
        print(skip)
        return 77
    print(test_go.go('test', '-count=1', '-race', './...'))
    print(test_go.go('test', '-count=1', './...', GOEXPERIMENT='cgocheck2'))
    static()
    for module, toolchain in FROM_NETWORK:
        folder = test_go.GO / module
        if subprocess.run(['go', 'mod', 'download'], cwd=folder, env={**os.environ, 'GOTOOLCHAIN': toolchain}).returncode != 0:
            print(f'{module}: its dependencies cannot be had here, or take a newer Go')
            return 77
        test_go.go('vet', './...', folder=folder, GOTOOLCHAIN=toolchain)
        print(test_go.go('test', '-count=1', './...', folder=folder, GOTOOLCHAIN=toolchain))
        print(test_go.go('test', '-count=1', '-race', './...', folder=folder, GOTOOLCHAIN=toolchain))
    if not doors(test_go.GO / 'corev1'):
        print('the builder is not four times as fast as json.Marshal, or not five times as fast as reading JSON')
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
