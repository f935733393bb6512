# SPDX-License-Identifier: Apache-2.0
"""The libraries against what was promised before: removed functions, changed arguments, moved fields (abidiff).

    dump.py LIBRARY...    compares each with NAME.abi.gz of the newest folder of previous/; new functions and fields at the end of structs that
                          have `size` in front are no change
"""
import gzip
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import headers
import previous

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
SUPPRESSED = '''[suppress_type]
type_kind = struct
name = {}
has_data_member_inserted_at = end
'''


# What is behind a handle is nobody's business; of some functions abidiff shows it in spite of the headers.
HIDDEN = '''[suppress_type]
type_kind = struct
name = {}
'''


def stored(library):
    return previous.header_sets()[-1] / (pathlib.Path(library).name.split('.')[0] + '.abi.gz')


def write(library):
    """Stores what abidw says of a library."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, 'dump')
        subprocess.run(['abidw', '--headers-dir', SOURCE / 'include', '--drop-private-types', '--no-corpus-path',
                        '--no-comp-dir-path', library, '--out-file', out], check=True)
        stored(library).write_bytes(gzip.compress(out.read_bytes(), mtime=0))


def structs(source):
    return {name: fields for header in headers.public_headers(source) for name, fields in headers.structs(header)}


def grown():
    """Structs with `size` in front (a plugin's table has it third) that got fields at their end since the dump. Only of them it is overlooked."""
    now = structs(SOURCE)
    for name, fields in structs(previous.header_sets()[-1]).items():
        more = now.get(name, [])
        if 'size' in fields[:3] and len(more) > len(fields) and more[:len(fields)] == fields:
            yield name


def handles():
    """Structs that the headers name and do not show."""
    named = {name for header in headers.public_headers(SOURCE)
             for name in re.findall(r'^typedef struct (\w+) \1;', header.read_text(), flags=re.M)}
    return sorted(named - structs(SOURCE).keys())


def compare(library):
    """What abidiff complains of; empty when all is well."""
    with tempfile.TemporaryDirectory() as folder:
        before, suppressions = pathlib.Path(folder, 'before.abi'), pathlib.Path(folder, 'suppressions')
        before.write_bytes(gzip.decompress(stored(library).read_bytes()))
        suppressions.write_text('\n'.join([*map(SUPPRESSED.format, grown()), *map(HIDDEN.format, handles())]))
        done = subprocess.run(['abidiff', '--no-added-syms', '--headers-dir2', SOURCE / 'include', '--suppressions', suppressions,
                               before, library], capture_output=True, text=True)
    return '' if done.returncode == 0 else f'{library}: abidiff says {done.returncode}\n{done.stdout}{done.stderr}'


def has_debug_information(library):
    return '.debug_info' in subprocess.run(['readelf', '-SW', library], capture_output=True, text=True).stdout


def main():
    if not shutil.which('abidiff') or platform.machine() != 'x86_64':
        print('there is no abidiff, or another processor than the dump is of')
        return 77
    if not all(map(has_debug_information, sys.argv[1:])) or os.environ.get('KARP_CC_ID', 'gcc') != 'gcc':
        print('the dump is of a build by gcc with debug information')
        return 77
    problems = [compare(library) for library in sys.argv[1:]]
    print('\n'.join(filter(None, problems)) or f'{len(problems)} libraries agree with the dump')
    return 1 if any(problems) else 0


if __name__ == '__main__':
    sys.exit(main())
