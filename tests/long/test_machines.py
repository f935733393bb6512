# SPDX-License-Identifier: Apache-2.0
"""Builds for other machines decide as this one's, byte for byte: 32 bits, another byte order, another instruction set.

Each needs a cross-compiler and the libraries of that machine, and qemu-user where this machine cannot run it: on Debian
gcc-s390x-linux-gnu, libjansson-dev:s390x, libyaml-dev:s390x and qemu-user (likewise arm64, i386). What is missing is left out.
"""
import os
import pathlib
import shutil
import sys
import tempfile

from answers import answers, build, differences

EVERY = 12  # of the conformance cases
MACHINES = [  # name, triplet of the libraries and of the compiler, family, byte order, what runs its programs
    ('i386', 'i386-linux-gnu', 'i686-linux-gnu', 'x86', 'little', []),
    ('arm64', 'aarch64-linux-gnu', 'aarch64-linux-gnu', 'aarch64', 'little', ['qemu-aarch64']),
    ('s390x', 's390x-linux-gnu', 's390x-linux-gnu', 's390x', 'big', ['qemu-s390x']),
]
CROSS = """[binaries]
c = '{compiler}-gcc'
ar = '{compiler}-ar'
strip = '{compiler}-strip'
pkgconfig = 'pkg-config'
[properties]
pkg_config_libdir = '/usr/lib/{libraries}/pkgconfig'
needs_exe_wrapper = true
[host_machine]
system = 'linux'
cpu_family = '{family}'
cpu = '{family}'
endian = '{endian}'
"""


def there(libraries, compiler, runner):
    package = pathlib.Path('/usr/lib') / libraries / 'pkgconfig' / 'jansson.pc'
    return all(shutil.which(word) for word in [f'{compiler}-gcc', *runner]) and package.exists()


def main():
    machines = [machine for machine in MACHINES if there(machine[1], machine[2], machine[5])]
    if not shutil.which('meson') or not shutil.which('ninja') or not machines:
        print('meson, ninja and a cross-compiler are needed')
        return 77
    os.environ['QEMU_LD_PREFIX'] = '/'
    parted = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        expected = answers([build(folder / 'here', None, [])], EVERY)
        for name, libraries, compiler, family, endian, runner in machines:
            cross = folder / f'{name}.ini'
            cross.write_text(CROSS.format(libraries=libraries, compiler=compiler, family=family, endian=endian))
            program = build(folder / name, None, ['--cross-file', str(cross)])
            parted += differences(name, expected, answers([*runner, program], EVERY))
    return 1 if parted else 0


if __name__ == '__main__':
    sys.exit(main())
