# SPDX-License-Identifier: Apache-2.0
"""karp.c, karp-io.c and karp-cli.c: compiled without a warning, whole and with parts left out; nothing but the public functions is visible outside; a
program that uses one function carries what that needs.

With the argument `all` (suite long) by every compiler there is, each part is left out alone, too, and the files made a second time are the same."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = pathlib.Path(os.environ['KARP_SOURCE']), pathlib.Path(os.environ['KARP_BUILD'])
sys.path.insert(0, str(SOURCE / 'bindings'))
import stage  # noqa: E402

WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wsign-conversion', '-Wstrict-prototypes', '-Werror']
SWITCHES = ['KARP_NO_COST', 'KARP_NO_DEVICES', 'KARP_NO_DISRUPT', 'KARP_NO_EXPLAIN', 'KARP_NO_FIT']
COMPILERS = list({os.path.realpath(found): name for name in ('clang-19', 'clang-14', 'clang', 'gcc') if (found := shutil.which(name))}.values())[::-1]
LARGEST_SOURCE = {'karp.c': 2_850_000, 'karp-io.c': 4_000_000}  # the tables of three clouds are in the second
ONE_DOOR = '''\
#include "karp.h"
int main(void)
{{
    karp_context *context = NULL;
    karp_builder *builder = NULL;
    karp_snapshot *snapshot = NULL;
    void *made[2] = {{ NULL, NULL }};
    (void)builder, (void)snapshot;
    return karp_context_new(NULL, &context, NULL) != KARP_OK || {};
}}
'''
SNAPSHOT = 'karp_builder_new(context, &builder, NULL) != KARP_OK || karp_builder_finish(builder, &snapshot, NULL) != KARP_OK || '
# What a program asks, and the part of the whole that it may have in percent: what only others ask is left out by the linker.
DOORS = {
    'fit': ('karp_fit(context, (karp_fit_request *)made, (karp_fitting **)made, NULL) != KARP_OK', 14),
    'provision': (SNAPSHOT + 'karp_provision(snapshot, NULL, (karp_decision **)made, NULL) != KARP_OK', 70),
    'disrupt': (SNAPSHOT + 'karp_disrupt(snapshot, NULL, (karp_decision **)made, NULL) != KARP_OK', 60),
    'explain': (SNAPSHOT + 'karp_explain_pod(snapshot, NULL, (karp_str){ NULL, 0 }, (karp_pod_explanation **)made, NULL) != KARP_OK', 75),
}
problems = []


def run(*command, cwd=None):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=cwd)
    if done.returncode:
        problems.append(f'{" ".join(map(str, command))}:\n{(done.stdout + done.stderr)[:2000]}')
    return done.stdout


def make(folder):
    """The files, by the build's own command; the program is what nothing but releases have in one file."""
    run('ninja', '-C', BUILD, 'lib/karp.c', 'lib/karp-io.c')
    for name in ('karp.c', 'karp.h', 'karp-io.c', 'karp-io.h'):
        if (BUILD / 'lib' / name).exists():
            shutil.copy(BUILD / 'lib' / name, folder / name)
    if (folder / 'karp-io.c').exists():
        stage.cli(folder)
    return [name for name in ('karp.c', 'karp-io.c', 'karp-cli.c') if (folder / name).exists()]


def check_made_again(folder):
    """The same bytes from the same sources. The build's own files stay: other tests read them."""
    again = folder / 'again'
    again.mkdir()
    for name in ('karp', 'karp-io'):
        if (folder / f'{name}.c').exists():
            command = run('ninja', '-C', BUILD, '-t', 'commands', '-s', f'lib/{name}.c')
            run('sh', '-c', re.sub(r'\blib/(karp(?:-io)?\.[ch])\b', rf'{again}/\1', command), cwd=BUILD)
    if (folder / 'karp-cli.c').exists():
        stage.cli(again)
    for path in sorted(folder.glob('karp*.[ch]')):
        if not (again / path.name).exists() or (again / path.name).read_bytes() != path.read_bytes():
            problems.append(f'{path.name} is another the second time')


def visible(path):
    return [line.split()[-1] for line in run('nm', '-g', '--defined-only', path).splitlines() if line.strip()]


def check_compilers(folder, names, each):
    """Without a warning, by clang or with `each` by all. The objects of the last one stay."""
    for compiler in COMPILERS if each else COMPILERS[-1:]:
        for name in names:
            made = pathlib.Path(name).with_suffix('.o')
            run(compiler, '-std=c11', '-O0', '-ffunction-sections', '-fdata-sections', *WARNINGS, '-c', name, '-o', made, cwd=folder)
            others = [symbol for symbol in visible(folder / made) if not symbol.startswith('karp_') and (name, symbol) != ('karp-cli.c', 'main')]
            if others:
                problems.append(f'{name} by {compiler}: visible outside: {" ".join(others[:10])}')


def check_program(folder, names):
    """The program is linked of the three, as docs/install.md says, and starts."""
    if problems or 'karp-cli.c' not in names:
        return
    yaml = run('pkg-config', '--libs', 'yaml-0.1').split()
    run(COMPILERS[-1], '-o', 'karp', *(pathlib.Path(name).with_suffix('.o') for name in names), *yaml, '-lm', '-ldl', cwd=folder)
    if not problems and not run(folder / 'karp', '--version').startswith('karp '):
        problems.append('the program of the one files does not tell its version')
    # Inputs that have names are in programs that are built with the tests.
    if not problems and '"solve_ms"' not in run(folder / 'karp', 'bench', '--json', '--runs', '1', '--input', SOURCE / 'examples/quickstart/workloads.yaml'):
        problems.append('the program of the one files does not measure a file')
    listed = subprocess.run([folder / 'karp', 'bench', '--list'], capture_output=True, text=True)
    if listed.returncode != 1 or 'built without the tests' not in listed.stderr:
        problems.append(f'the program of the one files lists inputs: {listed.stdout}{listed.stderr}')


def check_switches(folder, each):
    """All together, and with `each` each alone, by clang where there is one: it takes a quarter of gcc's time. What is left refers to nothing that is
    not there."""
    for given in ([[switch] for switch in SWITCHES] if each else []) + [SWITCHES]:
        flags = [f'-D{switch}' for switch in given]
        run(COMPILERS[-1], '-std=c11', '-O0', *WARNINGS, *flags, '-c', 'karp.c', '-o', 'less.o', cwd=folder)
        missing = [line.split()[-1] for line in run('nm', '-u', folder / 'less.o').splitlines() if 'karp_' in line]
        if missing:
            problems.append(f'{" ".join(given)}: undefined: {" ".join(missing)}')


def text_bytes(path):
    return int(run('size', path).splitlines()[1].split()[0])


def check_one_door(folder):
    """A program has what it asks for, not the whole core. Optimised or not, the parts are about the same."""
    if problems:
        return
    whole = text_bytes(folder / 'karp.o')
    print(f'core {whole} bytes')
    for name, (question, most) in DOORS.items():
        (folder / 'door.c').write_text(ONE_DOOR.format(question))
        run(COMPILERS[-1], '-std=c11', '-O0', '-Wall', '-Werror', '-ffunction-sections', 'door.c', 'karp.o', '-Wl,--gc-sections', '-lm', '-o', 'door', cwd=folder)
        if problems:
            return
        door = text_bytes(folder / 'door')
        print(f'a program that asks {name}: {door} bytes')
        if door * 100 > whole * most:
            problems.append(f'a program that asks {name} has {door} bytes of {whole}')


def main():
    if not COMPILERS or not shutil.which('ninja'):
        print('there is no compiler or no ninja')
        return 77
    with tempfile.TemporaryDirectory() as first:
        folder = pathlib.Path(first)
        names = make(folder)
        for name in names:
            if (folder / name).stat().st_size > LARGEST_SOURCE.get(name, 1_000_000):
                problems.append(f'{name} has {(folder / name).stat().st_size} bytes')
        each = 'all' in sys.argv[1:]
        check_compilers(folder, names, each)
        check_program(folder, names)
        check_one_door(folder)
        check_switches(folder, each)
        if each:
            check_made_again(folder)
    print('\n'.join(problems))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
