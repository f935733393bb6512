# SPDX-License-Identifier: Apache-2.0
"""Runs Karpenter's own specs with its launch decisions made by libkarp, through the Go module libkarp.dev/go/karpenter.

    karpenter_suites.py FOLDER [PACKAGE…] [--plain | --bench]

A copy of Karpenter's module (as `go mod download` has it) gets a hook: Scheduler.Solve calls a function variable where one is set.
Nothing else of it changes. FOLDER keeps the copy, the built tests and the reports. KUBEBUILDER_ASSETS names a folder with
kube-apiserver and etcd; --bench needs neither, and runs Karpenter's benchmark of its scheduler with both. Specs in karpenter_specs.txt are expected to fail, each for the reason stated there; every other spec has to pass.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
MODULE = SOURCE / 'bindings/go/karpenter'
KNOWN = pathlib.Path(__file__).with_name('karpenter_specs.txt')
SCHEDULING = 'pkg/controllers/provisioning/scheduling'
PACKAGES = [SCHEDULING, 'pkg/controllers/provisioning', 'pkg/controllers/disruption']

INPUT = ('SolveInput{Client: kubeClient, NodePools: nodePools, StateNodes: stateNodes, InstanceTypes: instanceTypes, DaemonSetPods: daemonSetPods, Clock: clock, '
         'ReservedFallback: resolved.reservedOfferingMode == ReservedOfferingModeFallback, IgnorePreferences: resolved.preferencePolicy == PreferencePolicyIgnore, '
         'MinValuesPolicy: minValuesPolicy, ConsolidationSimulation: resolved.enforceConsolidateAfter, ReservationCredits: resolved.creditReservationCapacity}')
IN_SCHEDULER = [
    ('type Scheduler struct {\n', 'type Scheduler struct {\n\tinput SolveInput\n'),
    ('\ts.calculateExistingNodeClaims(ctx,', f'\ts.input = {INPUT}\n\ts.calculateExistingNodeClaims(ctx,'),
    ('\tdefer metrics.Measure(DurationSeconds, map[string]string{ControllerLabel: injection.GetControllerName(ctx)})()\n',
     '\tdefer metrics.Measure(DurationSeconds, map[string]string{ControllerLabel: injection.GetControllerName(ctx)})()\n'
     '\tif SolveWith != nil {\n\t\treturn SolveWith(ctx, &s.input, pods)\n\t}\n'),
]


def environment():
    return {**os.environ, 'GOTOOLCHAIN': os.environ.get('KARPENTER_GO', 'go1.26.9'), 'GOFLAGS': '-buildvcs=false -tags=libkarp -mod=mod', 'GOWORK': 'off'}


def go(*words, folder):
    print('go', *words, flush=True)
    subprocess.run(['go', *words], cwd=folder, env=environment(), check=True)


def prepare(copy):
    """A copy of Karpenter with the hook."""
    if copy.exists():
        return
    said = subprocess.run(['go', 'mod', 'download', '-json', 'sigs.k8s.io/karpenter@v1.15.0'], cwd=MODULE, env=environment(), check=True, text=True, stdout=subprocess.PIPE).stdout
    shutil.copytree(json.loads(said)['Dir'], copy, copy_function=shutil.copyfile)
    for path in (copy, *copy.rglob('*')):
        path.chmod(0o755 if path.is_dir() else 0o644)
    scheduler = copy / SCHEDULING / 'scheduler.go'
    text = scheduler.read_text()
    for old, new in IN_SCHEDULER:
        if text.count(old) != 1:
            sys.exit(f'scheduler.go has {old!r} {text.count(old)} times')
        text = text.replace(old, new)
    scheduler.write_text(text)
    shutil.copy(MODULE / 'testdata/solve_with.go', copy / SCHEDULING)
    go('mod', 'edit', '-require=libkarp.dev/go/karpenter@v0.0.0', *(f'-replace=libkarp.dev/go{name}={MODULE.parent / folder}' for name, folder in (
        ('', '.'), ('/corev1', 'corev1'), ('/karpenter', 'karpenter'))), folder=copy)


def build(copy, package, folder):
    """The test program of a package; with SOLVE=karpenter in its environment Karpenter decides."""
    name = package.rsplit('/', 1)[1]
    adapter = (MODULE / 'testdata/libkarp_test.go').read_text().replace('package suite_test', f'package {name}_test')
    (copy / package / 'libkarp_test.go').write_text(adapter)
    program = folder / f'{name}.test'
    go('test', '-c', '-p', '2', '-tags=libkarp,test_performance', '-o', str(program), './' + package, folder=copy)
    return program


def specs(report):
    """(full name, state, message) of each spec of ginkgo's report; entries of a table may have the same name."""
    found = []
    for suite in json.loads(report.read_text()):
        for spec in suite['SpecReports']:
            if spec['LeafNodeType'] == 'It':
                name = ' / '.join([*(spec['ContainerHierarchyTexts'] or []), spec['LeafNodeText']])
                found.append((name, spec['State'], re.sub(r'\s+', ' ', spec.get('Failure', {}).get('Message', ''))[:300]))
    return found


def run(copy, package, program, folder, plain):
    name = program.stem + ('-karpenter' if plain else '')
    report = folder / f'{name}.json'
    own = {'SOLVE': 'karpenter' if plain else 'libkarp', 'KUBEBUILDER_CONTROLPLANE_START_TIMEOUT': '300s', 'KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT': '60s'}
    with open(folder / f'{name}.log', 'w') as log:
        subprocess.run([program, '-test.timeout=60m', '-test.skip=TestSchedulingProfile', '--ginkgo.timeout=60m', f'--ginkgo.json-report={report}', '--ginkgo.silence-skips', '--ginkgo.no-color'],
                       cwd=copy / package, env={**environment(), **own}, stdout=log, stderr=subprocess.STDOUT)
    return specs(report)


def bench(copy, folder):
    """Karpenter's benchmark with both in one run: seconds for each number of pods."""
    program, took = build(copy, SCHEDULING, folder), {}
    for who in ('karpenter', 'libkarp'):
        said = subprocess.run([program, '-test.run=^$', '-test.bench=^BenchmarkScheduling(100|500|1000|2000|5000)$', '-test.benchtime=1x', '-test.count=3'],
                              cwd=copy / SCHEDULING, env={**environment(), 'SOLVE': who}, check=True, text=True, stdout=subprocess.PIPE).stdout
        for pods, nanoseconds in re.findall(r'^BenchmarkScheduling(\d+)\S*\s+1\s+(\d+) ns/op', said, flags=re.M):
            times = took.setdefault(int(pods), {})
            times[who] = min(int(nanoseconds) / 1e9, times.get(who, 1e9))
    for pods, times in sorted(took.items()):
        print(f'{pods:>6} pods: karpenter {times["karpenter"]:.3f} s, libkarp {times["libkarp"]:.3f} s, {times["karpenter"] / times["libkarp"]:.1f} times as fast')


def known():
    """{package: specs} that are not expected to pass."""
    out, package = {}, None
    for line in KNOWN.read_text(encoding='utf-8').splitlines():
        if line.startswith('pkg/'):
            package = out.setdefault(line, set())
        elif not line.startswith('# '):
            package.add(line)
    return out


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument('folder', type=pathlib.Path)
    words.add_argument('packages', nargs='*', default=PACKAGES)
    words.add_argument('--plain', action='store_true', help="Karpenter's own decisions, to compare")
    words.add_argument('--bench', action='store_true', help='its benchmark, with both')
    given = words.parse_args()
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / 'karpenter'
    prepare(copy)
    if given.bench:
        return bench(copy, folder)
    failed = 0
    for package in given.packages:
        program = build(copy, package, folder)
        if 'KUBEBUILDER_ASSETS' not in os.environ:
            continue
        found, expected = run(copy, package, program, folder, given.plain), set() if given.plain else known().get(package, set())
        bad = [spec for spec in found if spec[1] not in ('passed', 'skipped', 'pending')]
        wrong = [spec for spec in bad if spec[0] not in expected]
        passed = sum(state == 'passed' for _, state, _ in found)
        print(f'{package}: {len(found)} specs, {passed} passed, {len(bad) - len(wrong)} as expected not, {len(wrong)} failed', flush=True)
        for name, state, message in wrong:
            print(f'  {state}: {name}\n      {message}')
        for name in sorted(expected - {spec[0] for spec in bad}):
            print(f'  passes now, take it off the list: {name}')
        failed += len(wrong)
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
