# SPDX-License-Identifier: Apache-2.0
"""The Python package's types, and whether wrong use of them is noticed."""
import sys

import python_package

if __name__ == '__main__':
    sys.exit(python_package.run('tests/test_types.py'))
