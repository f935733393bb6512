#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# HiGHS calls a plan optimal that another plan undercuts, and six integer variables suffice for that.
#
# Guess: scipy.optimize.milp with status 0 and "Optimal", for six variables and two rows, has found the cheapest plan, so its cost may be
# used to check another planner to the last digit.
# Seen with SciPy 1.14.1 and highspy 1.8.1: both stop at a relative gap of 0.0001 and report Optimal. For 2009 cores and 5643 GiB of six machine
# types they answer 93.2399 an hour; with mip_rel_gap=0 the answer is 93.2333. An oracle for exact costs has to set the gap to 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >plan.py <<'PY'
import highspy
import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

cpu = np.array([2, 8, 64, 2, 8, 64.0])
memory = np.array([8, 16, 128, 8, 32, 256.0])
price = np.array([0.1539, 0.3096, 3.434, 0.1523, 0.4603, 3.8498])
need = [2009, 5643]
for options in {}, {'mip_rel_gap': 0}:
    done = milp(price, constraints=LinearConstraint(np.vstack([cpu, memory]), need, np.inf), integrality=np.ones(6),
                bounds=Bounds(0, np.inf), options=options)
    print('milp', options, done.status, 'Optimal' in done.message, round(done.fun, 4))
for options in {}, {'mip_rel_gap': 0.0}:
    model = highspy.Highs()
    model.silent()
    for name, value in options.items():
        model.setOptionValue(name, value)
    for i in range(6):
        model.addVar(0, highspy.kHighsInf)
        model.changeColCost(i, price[i])
        model.changeColIntegrality(i, highspy.HighsVarType.kInteger)
    for row, least in zip((cpu, memory), need):
        model.addRow(float(least), highspy.kHighsInf, 6, np.arange(6, dtype=np.int32), row)
    model.run()
    print('highspy', options, model.getModelStatus().name, round(model.getInfo().objective_function_value, 4))
PY
python3 -m venv venv
venv/bin/pip -q install numpy==2.1.3 scipy==1.14.1 highspy==1.8.1
seen=$(venv/bin/python plan.py)
expected="milp {} 0 True 93.2399
milp {'mip_rel_gap': 0} 0 True 93.2333
highspy {} kOptimal 93.2399
highspy {'mip_rel_gap': 0.0} kOptimal 93.2333"
printf 'SciPy 1.14.1, highspy 1.8.1: the cost that is called optimal\n%s\n' "$seen"
[ "$seen" = "$expected" ] || { printf 'expected:\n%s\n' "$expected"; exit 1; }
