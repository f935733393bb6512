# SPDX-License-Identifier: Apache-2.0
"""Who wants to stop is heard soon: on every trap, each call asks should_stop before it has run MOST basic blocks of the machine since it
asked last (about five instructions each, so this is under ten milliseconds). The library is compiled in one file that counts them."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])
BUILD = pathlib.Path(os.environ['KARP_BUILD'])
sys.path.insert(0, str(SOURCE / 'tests' / 'cases'))
import traps  # noqa: E402

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
MOST = 8_000_000
COUNTED = ['-fsanitize-coverage=trace-pc']
FLAGS = ['-std=c11', '-O1', '-ffp-contract=off', '-D_POSIX_C_SOURCE=200809L', '-w']


def compiled(folder):
    """The program, or None where the compiler cannot count."""
    if subprocess.run(['ninja', '-C', BUILD, 'lib/karp.c', 'lib/karp-io.c'], capture_output=True, check=False).returncode:
        return None
    program, objects = folder / 'polls', []
    for source, flags in ((BUILD / 'lib' / 'karp.c', COUNTED), (BUILD / 'lib' / 'karp-io.c', COUNTED), (SOURCE / 'tests/long/polls.c', [])):
        objects.append(folder / (source.stem + '.o'))
        command = ['gcc', *FLAGS, *flags, f'-I{BUILD / "lib"}', '-c', source, '-o', objects[-1]]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            return None
    tables = list((BUILD / 'lib').glob('libkarp-io-test.a.p/meson-generated_*ec2_table.c.o'))
    subprocess.run(['gcc', '-o', program, *objects, *tables, '-lyaml', '-lm'], check=True)
    return program


def asked(program, name, command, trap, folder):
    """What is wrong with a trap, in lines."""
    text = trap(SIZE)
    text, types = text if isinstance(text, tuple) else (text, json.dumps([traps.instance_type(i) for i in range(1, 6)]))
    paths = [pathlib.Path(folder, f'{name}.{part}') for part in ('in', 'types')]
    for path, content in zip(paths, (text, types)):
        path.write_text(content, encoding='utf-8')
    done = subprocess.run([program, command, *paths], capture_output=True, text=True, check=False)
    for path in paths:
        path.unlink()
    calls = [line.split() for line in done.stdout.splitlines()]
    if 'KARP_POLLS_SHOW' in os.environ:
        print(f'{name:50}', ' '.join(f'{call}:{int(blocks) / 1e6:.2f}M/{polls}' for call, blocks, polls, _ in calls), flush=True)
    bad = [f'{name}: {call} ran {blocks} blocks without asking' for call, blocks, _, _ in calls if int(blocks) > MOST]
    return bad + ([f'{name}: exit status {done.returncode}: {done.stderr[:200]}'] if done.returncode else [])


def main():
    chosen = [(name, 'plan', trap) for name, trap in traps.TRAPS.items()]
    chosen += [(name, command[0], trap) for name, (command, trap) in traps.OTHERS.items() if command[0] in ('plan', 'disrupt')]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        program = compiled(pathlib.Path(folder))
        if program is None:
            print('skipped: this compiler does not count basic blocks, or the library is not made in one file')
            return 77
        problems = [pool.submit(asked, program, name, command, trap, folder) for name, command, trap in chosen]
        wrong = [line for found in problems for line in found.result()]
    print('\n'.join(wrong))
    print(f'{len(chosen)} traps of {SIZE}, {len(wrong)} wrong')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
