# SPDX-License-Identifier: Apache-2.0
"""A new member of karp_launch needs three places: the struct, where it is filled, and its row.

Run by places.py. Copies of both libraries get a member more in exactly these places. It must then be in plans, in the table of launches, and in Commands that
are written, read and written again; and in the launches of Python, Go and Rust, once bindings/generate.py has run.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import grown

sys.path.insert(0, str(grown.SOURCE / 'bindings'))
import headers  # noqa: E402
import python_structs  # noqa: E402
import results  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
FOLDER = grown.BUILD / 'tests' / 'places'
VALUE = 471104711
# What a line is found by, the line after it, and in how many files it is: both libraries have the row.
PLACES = {
    'struct': (r'    int64_t termination_grace_period;(?=[^}]*\} karp_launch;)', '    int64_t termination_grace_period; int64_t one_more;', 1),
    'filling': (r'row->termination_grace_period=p->termination_grace_period;', rf'\g<0>row->one_more={VALUE};', 1),
    'row': (r'\{DURATION\("terminationGracePeriod",karp_launch,[^{}]*\),[^{}]+\}', r'\g<0>,{INT64("oneMore",karp_launch,one_more),COLUMN}', 2),
}


# The same places in the sources that bindings/generate.py reads.
SOURCES = {'include/karp/decision.h': PLACES['struct'][:2],
           'lib/records/launch.c': (r'(\{ DURATION\("terminationGracePeriod", karp_launch, [^{}]*\})', r'\1, { INT64("oneMore", karp_launch, one_more), COLUMN }')}


def generated():
    """{path: text} of the bindings' results with the member, and Python's structs."""
    for place, (before, after) in SOURCES.items():
        copy = FOLDER / 'source' / pathlib.Path(place).parent
        shutil.copytree(SOURCE / pathlib.Path(place).parent, copy, dirs_exist_ok=True)
        text, count = re.subn(before, after, (SOURCE / place).read_text(encoding='utf-8'), flags=re.S)
        assert count == 1, (place, count)
        (FOLDER / 'source' / place).write_text(text, encoding='utf-8')
    headers.INCLUDE, results.LIB = FOLDER / 'source/include/karp', FOLDER / 'source/lib/records'
    structs = headers.structs()
    return {**results.files(structs), python_structs.PACKAGE / '_structs.py': python_structs.text(structs)}


def in_bindings():
    """Where the member is missing: what Python reads of the library that has it, and the types of Go and Rust."""
    made, package = generated(), FOLDER / 'python/karp'
    shutil.copytree(python_structs.PACKAGE, package, dirs_exist_ok=True, ignore=shutil.ignore_patterns('__pycache__'))
    for path, text in made.items():
        if path.parent == python_structs.PACKAGE:
            (package / path.name).write_text(text, encoding='utf-8')
    code = f'import karp; print(karp.load({str(SOURCE / "examples/quickstart")!r}).plan().launches[0].one_more)'
    said = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=str(package.parent), KARP_LIBRARY=str(FOLDER), LD_LIBRARY_PATH=str(FOLDER)))
    problems = [] if said.stdout.strip() == str(VALUE) else [f'python: {said.stdout}{said.stderr}']
    for path, wanted in ((results.go_structs.GO / 'results.go', ('\tOneMore int64\n', 'OneMore: int64(r.one_more),')), (results.RUST, ('pub one_more: i64,', 'one_more: r.one_more,'))):
        problems += [f'{path.name}: there is no {each!r}' for each in wanted if each not in made[path]]
    return problems


def problems_found():
    program = FOLDER / 'member'
    subprocess.run([*os.environ.get('KARP_CC', 'cc').split(), '-std=c11', '-w', '-I', FOLDER, HERE / 'consumers' / 'member.c', '-o', program, '-L', FOLDER,
                    '-lkarp-io', '-lkarp'], check=True)
    wanted = [f'plan: {VALUE}', 'table: one_more', f'command: {VALUE}']
    got = subprocess.run([program, SOURCE / 'examples' / 'quickstart'], env=dict(os.environ, LD_LIBRARY_PATH=str(FOLDER)), capture_output=True,
                         text=True).stdout.splitlines()
    return ([] if got == wanted else [f'{got}, not {wanted}']) + in_bindings()
