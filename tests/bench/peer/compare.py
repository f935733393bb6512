# SPDX-License-Identifier: Apache-2.0
"""Karpenter's scheduler and this one, side by side on the same Snapshot files, in seconds of processor time.

    KARP=build/karp compare.py [--runs N] [--peer-runs N] INPUT...
    KARP=build/karp KARP_KUBE_ANSWERS=build/tests/kube_answers compare.py --others [CHECKOUT]

INPUT is the path of a Snapshot, or a name that the generator of the shared folder knows (b1-1000, b2-zone-5000, …; needs
KARP_SHARED, by default ../shared); b8-preferred-anti-N, -zone-N and -never-N are its b2-anti-N and b2-zone-N with what is required
as a preference. Karpenter runs in process, unpatched, with one worker; of it the time of Solve alone counts
(of a disruption: of finding candidates and ComputeCommands), of karp the whole of karp_provision() or karp_disrupt(). The
ratio is that of the two. Exit status 77 where Go, its modules or the generator are missing.

--others asks the other peers (others.py) instead: cluster-autoscaler and kube-scheduler, for which CHECKOUT is one of the repository
kubernetes-sigs/cluster-autoscaler, and HiGHS where highspy is installed. Modules that no proxy has are named by --replace.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import others

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
QUICK = ['b1-1000', 'b2-plain-1000', 'b2-anti-1000', 'b2-zone-1000', 'b4-multi-100', 'b4-idlesingle-100']
COLUMNS = [('input', '<18'), ('pods', '>7'), ('nodes', '>6'), ('launches', '>9'), ('theirs', '>7'), ('$/h', '>9'), ('theirs', '>9'),
           ('prepare s', '>10'), ('solve s', '>9'), ('set-up s', '>9'), ('Solve s', '>9'), ('ratio', '>8')]


class Missing(Exception):
    """Something that is not part of the project is not there."""


def build_peer(folder):
    if shutil.which('go') is None:
        raise Missing('Go is not installed')
    program = folder / 'peer'
    done = subprocess.run(['go', 'build', '-o', program, '.'], cwd=HERE, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missing(f'Karpenter cannot be built here: {done.stderr.strip().splitlines()[-1:]}')
    return program


def required_of(name):
    """b8-preferred-anti-2000: b2-anti-2000."""
    _, _, kind = name.partition('b8-preferred-')
    return f'b2-{kind.replace("never", "anti")}' if kind else name


def prefer(source, target, nowhere):
    """What the pods require becomes a preference; `nowhere`: they prefer a zone that does not exist, too."""
    document = json.loads(source.read_text())
    for pod in (o['spec'] for o in document['objects'] if o['kind'] == 'Pod'):
        for spread in pod.get('topologySpreadConstraints', ()):
            spread['whenUnsatisfiable'] = 'ScheduleAnyway'
        anti = pod.get('affinity', {}).get('podAntiAffinity')
        if anti:
            terms = anti.pop('requiredDuringSchedulingIgnoredDuringExecution')
            anti['preferredDuringSchedulingIgnoredDuringExecution'] = [{'weight': 100, 'podAffinityTerm': term} for term in terms]
        if nowhere:
            zone = {'key': 'topology.kubernetes.io/zone', 'operator': 'In', 'values': ['nowhere-1a']}
            pod['affinity']['nodeAffinity'] = {'preferredDuringSchedulingIgnoredDuringExecution': [
                {'weight': 50, 'preference': {'matchExpressions': [zone]}}]}
    target.write_text(json.dumps(document))


def write_inputs(names, folder):
    """The path of every input; those that are no files are generated."""
    unknown = [name for name in names if not pathlib.Path(name).is_file()]
    shared = pathlib.Path(os.environ.get('KARP_SHARED', SOURCE.parent / 'shared'))
    generator = shared / 'bench' / 'gen_bench.py'
    if unknown and not generator.is_file():
        raise Missing(f'{generator} is not there to write {" ".join(unknown)}')
    if unknown:
        made = sorted({required_of(name) for name in unknown})
        subprocess.run([sys.executable, generator, '--out', folder, '--aws', shared / 'catalogue' / 'aws-us-west-2.full.json', *made],
                       check=True, stdout=subprocess.DEVNULL)
    for name in unknown:
        if required_of(name) != name:
            prefer(folder / f'{required_of(name)}.snapshot.json', folder / f'{name}.snapshot.json', 'never' in name)
    return [folder / f'{name}.snapshot.json' if name in unknown else pathlib.Path(name) for name in names]


def ours(path, runs):
    done = subprocess.run([os.environ['KARP'], 'bench', '--json', '--runs', str(runs), '--input', path],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)['results'][0]


def theirs(program, path, runs):
    done = subprocess.run([program, '-runs', str(runs), path], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def table_row(name, mine, peer):
    solve = mine['solve_ms'] / 1000
    return [name, mine['pods'], mine['nodes'], mine['launches'], peer['launches'], f'{mine.get("price", 0):.2f}', f'{peer["price"]:.2f}',
            f'{mine["prepare_ms"] / 1000:.4f}', f'{solve:.5f}', f'{peer["setup_s"]:.3f}', f'{peer["solve_s"]:.3f}',
            f'{peer["solve_s"] / solve:.0f}']


def compare(arguments):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        program = build_peer(folder)
        paths = write_inputs(arguments.inputs or QUICK, folder)
        print(' '.join(f'{title:{form}}' for title, form in COLUMNS), flush=True)
        for path in paths:
            name = path.name.removesuffix('.json').removesuffix('.snapshot')
            mine = ours(path, arguments.runs)
            cells = table_row(name, mine, theirs(program, path, arguments.peer_runs))
            print(' '.join(f'{cell:{form}}' for cell, (_, form) in zip(cells, COLUMNS)), flush=True)
            if arguments.least_ratio and float(cells[-1]) < arguments.least_ratio:
                print(f'{name}: less than {arguments.least_ratio} times as fast', file=sys.stderr)
                return 1
    return 0


def compare_others(arguments):
    with tempfile.TemporaryDirectory() as place:
        print(' '.join(f'{title:{form}}' for title, form in others.COLUMNS), flush=True)
        checkout = pathlib.Path(arguments.others).resolve() if arguments.others else None
        for cells in others.rows(pathlib.Path(place), checkout, arguments.replace, write_inputs, lambda path: ours(path, arguments.runs)):
            print(' '.join(f'{cell:{form}}' for cell, (_, form) in zip(cells, others.COLUMNS)), flush=True)
    return 0


def main():
    parser = argparse.ArgumentParser(description='Karpenter and karp on the same Snapshots')
    parser.add_argument('inputs', nargs='*', metavar='INPUT')
    parser.add_argument('--runs', type=int, default=5, help='of karp; the median counts')
    parser.add_argument('--peer-runs', type=int, default=1, help='of Karpenter; the best counts')
    parser.add_argument('--least-ratio', type=float, default=0, help='fail below this')
    parser.add_argument('--others', nargs='?', const='', metavar='CHECKOUT', help='ask the other peers')
    parser.add_argument('--replace', action='append', default=[], metavar='MODULE=FOLDER', help='a Go module that is in a folder')
    arguments = parser.parse_args()
    if not os.environ.get('KARP'):
        print('KARP does not name the program')
        return SKIPPED
    try:
        return compare(arguments) if arguments.others is None else compare_others(arguments)
    except Missing as missing:
        print(missing)
        return SKIPPED


if __name__ == '__main__':
    sys.exit(main())
