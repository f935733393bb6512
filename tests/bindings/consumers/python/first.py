# SPDX-License-Identifier: Apache-2.0
import sys

import karp

for launch in karp.load(sys.argv[1:]).plan().launches:
    print(launch.choice.instance_type)
