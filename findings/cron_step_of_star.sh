#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# "0 9 */2 * 1" means three different sets of days, although cron is one old format.
#
# Guess: a schedule with a day of the month and a weekday fires when either matches, and a field that begins with a star does not restrict.
# So "0 9 */2 * 1" fires on Mondays with an odd date, as Debian's cron has it, and a simulation may compute a CronJob's hours, or the window of
# a disruption budget, with any cron package.
# Seen with robfig/cron v3.0.1 (which Kubernetes and Karpenter use): a star with a step of two or more does restrict, so the schedule fires on
# every odd date and on every Monday. cronsim 2.6 fires on Mondays with an odd date only. croniter 6.0.0 agrees with robfig there, but takes
# "*/1" for a restriction too: "0 9 */1 * 1" is every day for it, and Mondays for the other two. "1,*" is a star for robfig and croniter, and
# every day or Monday for cronsim.
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"

cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/robfig/cron/v3"
)

func main() {
	for _, text := range os.Args[1:] {
		schedule, err := cron.ParseStandard(text)
		if err != nil {
			panic(err)
		}
		fmt.Printf("robfig    %-12s", text)
		t := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		for i := 0; i < 5; i++ {
			t = schedule.Next(t)
			fmt.Print(t.Format(" Mon02"))
		}
		fmt.Println()
	}
}
GO
cat >other.py <<'PY'
import sys
from datetime import datetime

from croniter import croniter
from cronsim import CronSim

start = datetime(2026, 3, 1)
for text in sys.argv[1:]:
    for name, times in ('croniter', croniter(text, start, ret_type=datetime)), ('cronsim', CronSim(text, start)):
        print(f'{name:9} {text:12}', *(next(times).strftime('%a%d') for _ in range(5)))
PY
go mod init finding >/dev/null 2>&1
go get github.com/robfig/cron/v3@v3.0.1 >/dev/null 2>&1
python3 -m venv venv
venv/bin/pip -q install croniter==6.0.0 cronsim==2.6
schedules=('0 9 */2 * 1' '0 9 */1 * 1' '0 9 1,* * 1')
seen=$(go run . "${schedules[@]}" && venv/bin/python other.py "${schedules[@]}")
expected='robfig    0 9 */2 * 1  Sun01 Mon02 Tue03 Thu05 Sat07
robfig    0 9 */1 * 1  Mon02 Mon09 Mon16 Mon23 Mon30
robfig    0 9 1,* * 1  Mon02 Mon09 Mon16 Mon23 Mon30
croniter  0 9 */2 * 1  Sun01 Mon02 Tue03 Thu05 Sat07
cronsim   0 9 */2 * 1  Mon09 Mon23 Mon13 Mon27 Mon11
croniter  0 9 */1 * 1  Sun01 Mon02 Tue03 Wed04 Thu05
cronsim   0 9 */1 * 1  Mon02 Mon09 Mon16 Mon23 Mon30
croniter  0 9 1,* * 1  Mon02 Mon09 Mon16 Mon23 Mon30
cronsim   0 9 1,* * 1  Sun01 Mon02 Tue03 Wed04 Thu05'
printf 'robfig/cron v3.0.1, croniter 6.0.0, cronsim 2.6: the first times from Sunday, 1 March 2026\n%s\n' "$seen"
[ "$seen" = "$expected" ] || { printf 'expected:\n%s\n' "$expected"; exit 1; }
