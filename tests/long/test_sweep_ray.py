# SPDX-License-Identifier: Apache-2.0
"""examples/sweep on Ray: the same rows."""
import sys

import sweep_engines

sys.exit(sweep_engines.compare('ray', ['ray']))
