# SPDX-License-Identifier: Apache-2.0
"""karp under a profile:   as_profile.py PROFILE KARP VERB [ARGUMENT...]"""
import os
import sys

if __name__ == '__main__':
    profile, program, *arguments = sys.argv[1:]
    os.execv(program, [program, *arguments, '--profile', profile])
