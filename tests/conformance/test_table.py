# SPDX-License-Identifier: Apache-2.0
"""docs/conformance.md is current, and everything it names exists."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.argv.append('--check')

import table  # noqa: E402

sys.exit(table.main())
