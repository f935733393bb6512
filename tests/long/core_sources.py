# SPDX-License-Identifier: Apache-2.0
"""The sources of the core. MODULES are the folders of lib/ that it consists of."""
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / 'tests' / 'lint'))
from tree import CORE as MODULES


def core_files():
    """By their names below lib/: all of the modules but what lib/base/meson.build has for the libraries above the core."""
    listed = (SOURCE / 'lib/base/meson.build').read_text()
    outside = re.search(r"'base_outside': files\((.*?)\)", listed, flags=re.S).group(1)
    for module in MODULES:
        found = sorted(p.relative_to(SOURCE / 'lib').as_posix() for p in (SOURCE / 'lib' / module).glob('*.c'))
        yield from (file for file in found if module != 'base' or f"'{file.split('/', 1)[1]}'" not in outside)
