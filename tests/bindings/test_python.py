# SPDX-License-Identifier: Apache-2.0
"""The Python package: all but its types, which have a test of their own."""
import sys

import python_package

if __name__ == '__main__':
    sys.exit(python_package.run('tests', '--ignore', 'tests/test_types.py'))
