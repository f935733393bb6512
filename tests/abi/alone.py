# SPDX-License-Identifier: Apache-2.0
"""Each public header compiles by itself, as C11 and as C++17, without a warning."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import headers

WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Wconversion', '-Wundef', '-Werror']


def main():
    source = pathlib.Path(os.environ['KARP_SOURCE'])
    compilers = [(os.environ['KARP_CC'].split(), 'c', ['-std=c11', '-Wstrict-prototypes'])]
    cxx = shutil.which('c++') or shutil.which('clang++')
    if cxx:
        compilers.append(([cxx], 'c++', ['-std=c++17', '-Wold-style-cast']))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        unit = pathlib.Path(folder) / 'alone.c'
        for header in headers.public_headers(source):
            # Twice, for the include guard; every constant is used, as a caller would.
            unit.write_text(f'#include <karp/{header.name}>\n#include <karp/{header.name}>\n#ifdef __cplusplus\n' +
                            ''.join(f'extern const auto use_{name} = {name};\n' for name in headers.constants(header)) +
                            '#endif\nextern int karp_alone;\n')
            for compiler, language, arguments in compilers:
                done = subprocess.run([*compiler, '-x', language, *arguments, *WARNINGS, '-fsyntax-only',
                                       '-I', str(source / 'include'), str(unit)], capture_output=True, text=True)
                if done.returncode:
                    failed += 1
                    print(f'{header.name} as {language}:\n{done.stderr}')
    print(f'{failed} failures' + ('' if cxx else '; no C++ compiler was found'))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
