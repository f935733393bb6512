# SPDX-License-Identifier: Apache-2.0
"""Makes the static library that is installed.   archive.py LD OBJCOPY AR ARCHIVE OUT

All objects of ARCHIVE become one, in which what is hidden is also out of sight of the linker: a program that links it
statically can have functions named as the library's own are inside.
"""
import pathlib
import subprocess
import sys


def main():
    ld, objcopy, ar, archive, out = sys.argv[1:]
    whole = pathlib.Path(out).with_suffix('.o')
    subprocess.run([ld, '-r', '--whole-archive', archive, '-o', whole], check=True)
    subprocess.run([objcopy, '--localize-hidden', whole], check=True)
    pathlib.Path(out).unlink(missing_ok=True)
    subprocess.run([ar, 'rcsD', out, whole], check=True)
    whole.unlink()


if __name__ == '__main__':
    main()
