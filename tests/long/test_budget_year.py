# SPDX-License-Identifier: Apache-2.0
"""Budgets with schedules, every minute of two years, one of them with a leap day."""
import os
import pathlib
import subprocess
import sys

BUILD = pathlib.Path(os.environ.get('KARP_BUILD', 'build'))
done = subprocess.run([str(BUILD / 'tests' / 'unit_tests'), 'budget_year'], env={**os.environ, 'KARP_WHOLE_YEARS': '1'})
sys.exit(done.returncode)
