# SPDX-License-Identifier: Apache-2.0
"""Every row of tests/long/equivalent.txt names a line that there is."""
import sys

import tree

sys.path.insert(0, str(tree.SOURCE / 'tests' / 'long'))
import mutate  # noqa: E402

print(f'{len(mutate.equivalent())} rows')
