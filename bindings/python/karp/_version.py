# SPDX-License-Identifier: Apache-2.0
"""The version of this package: that of include/karp/version.h (a test compares them)."""
VERSION = (0, 1, 0)
__version__ = '.'.join(str(part) for part in VERSION)
