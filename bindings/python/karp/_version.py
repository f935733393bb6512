# SPDX-License-Identifier: Apache-2.0
"""The version of this package: that of include/karp/version.h (a test compares them)."""
VERSION = (1, 0, 0)
STAGE = 'rc1'  # before the release of that version, then ''
__version__ = '.'.join(str(part) for part in VERSION) + STAGE
