# SPDX-License-Identifier: Apache-2.0
"""What the start of a command takes: reading pods from files, and a whole plan of the quickstart example.

    python3 tests/bench/read.py build/karp [--pods 5000,50000] [--runs 21]

Milliseconds of CPU time, fastest and median of several new processes. For pods these are the columns `read` and `prepare` of `karp bench`:
reading the file, and adding defaults and preparing decisions. The pods are those of pods.awk, in a List as kubectl writes it and in a
Snapshot. The plan is a whole process.
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
QUICKSTART = HERE.parent.parent / 'examples' / 'quickstart'


def write_pods(path, form, count):
    with open(path, 'wb') as file:
        subprocess.run(['awk', '-v', f'n={count}', '-v', f'form={form}', '-f', HERE / 'pods.awk'], stdout=file, check=True)


def read_once(karp, path):
    done = subprocess.run([karp, 'bench', '--input', path, '--runs', '1', '--json'], check=True, capture_output=True, text=True)
    result = json.loads(done.stdout)['results'][0]
    return result['read_ms'], result['prepare_ms']


def plan_once(karp):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([karp, 'plan', '-f', QUICKSTART], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def show(what, size, times):
    print(f'{what:34}{size:>10}{min(times):>10.1f}{statistics.median(times):>10.1f}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('karp')
    parser.add_argument('--pods', default='5000,50000', help='numbers of pods')
    parser.add_argument('--runs', type=int, default=21)
    arguments = parser.parse_args()
    karp = os.path.abspath(arguments.karp)
    print(f'{"":34}{"MB":>10}{"fastest":>10}{"median":>10}')
    with tempfile.TemporaryDirectory() as folder:
        for count in map(int, arguments.pods.split(',')):
            for form in ('list', 'snapshot'):
                path = pathlib.Path(folder) / f'{form}-{count}.json'
                write_pods(path, form, count)
                times = [read_once(karp, path) for _ in range(arguments.runs)]
                show(f'read {count:,} pods, {form}', f'{path.stat().st_size / 1e6:.1f}', [read for read, _ in times])
                show('prepare', '', [prepare for _, prepare in times])
    show('karp plan -f examples/quickstart', '', [plan_once(karp) for _ in range(arguments.runs)])


if __name__ == '__main__':
    main()
