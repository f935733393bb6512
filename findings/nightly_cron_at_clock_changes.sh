#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A nightly CronJob with a time zone: never on one day of the year, twice on another, and Python's libraries see other times.
#
# Guess: "30 2 * * *" in Europe/Berlin runs once on each date, as with Debian's cron, also where clocks change; libraries that evaluate the
# same schedule to predict the load agree on the instants.
# Seen with github.com/robfig/cron v3.0.1, which Kubernetes' CronJob controller calls with "TZ=ZONE SCHEDULE": no run on 2026-03-29, two
# runs an hour apart on 2026-10-25.
# cronsim 2.6 runs once on both dates (on 2026-03-29 at 03:00, as Debian's cron does).
# croniter 6.0.0 with a zone of zoneinfo runs once on both dates, but after the change in autumn its next run is an hour late: 2026-10-26
# 03:30. "0 3 * * *", an hour that both dates have once, is late as well: 2026-10-25 04:00.
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"

cat >main.go <<'GO'
package main

import (
	"fmt"
	"time"

	"github.com/robfig/cron/v3"
)

func main() {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	for _, text := range []string{"30 2 * * *", "0 3 * * *"} {
		schedule, err := cron.ParseStandard("TZ=Europe/Berlin " + text)
		if err != nil {
			panic(err)
		}
		for _, start := range []time.Time{time.Date(2026, 3, 28, 12, 0, 0, 0, zone), time.Date(2026, 10, 24, 12, 0, 0, 0, zone)} {
			fmt.Print("robfig ", text, ":")
			for t := schedule.Next(start); t.Before(start.Add(48 * time.Hour)); t = schedule.Next(t) {
				fmt.Print(" ", t.UTC().Format("02T15:04"))
			}
			fmt.Println()
		}
	}
}
GO
cat >main.py <<'PY'
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from croniter import croniter
from cronsim import CronSim

zone = ZoneInfo('Europe/Berlin')
for name, runs in (('cronsim', CronSim), ('croniter', lambda text, start: croniter(text, start, ret_type=datetime))):
    for text in ('30 2 * * *', '0 3 * * *'):
        for start in (datetime(2026, 3, 28, 12, tzinfo=zone), datetime(2026, 10, 24, 12, tzinfo=zone)):
            end = start.astimezone(timezone.utc) + timedelta(days=2)
            found, seen = runs(text, start), []
            while (t := next(found).astimezone(timezone.utc)) < end:
                seen.append(t.strftime('%dT%H:%M'))
            print(f'{name} {text}:', *seen)
PY
go mod init finding >/dev/null 2>&1
go get github.com/robfig/cron/v3@v3.0.1 >/dev/null 2>&1
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check croniter==6.0.0 cronsim==2.6 tzdata==2025.2
seen=$(go run . && venv/bin/python main.py)
# Times are in UTC: 02:30 is 01:30 in winter and 00:30 in summer.
expected='robfig 30 2 * * *: 30T00:30
robfig 30 2 * * *: 25T00:30 25T01:30 26T01:30
robfig 0 3 * * *: 29T01:00 30T01:00
robfig 0 3 * * *: 25T02:00 26T02:00
cronsim 30 2 * * *: 29T01:00 30T00:30
cronsim 30 2 * * *: 25T00:30 26T01:30
cronsim 0 3 * * *: 29T01:00 30T01:00
cronsim 0 3 * * *: 25T02:00 26T02:00
croniter 30 2 * * *: 29T01:30 30T00:30
croniter 30 2 * * *: 25T00:30 26T02:30
croniter 0 3 * * *: 29T01:00 30T01:00
croniter 0 3 * * *: 25T03:00 26T02:00'
printf 'robfig/cron v3.0.1, cronsim 2.6, croniter 6.0.0: runs from 28 March and from 24 October 2026, in UTC\n%s\n' "$seen"
[ "$seen" = "$expected" ] || { printf 'expected:\n%s\n' "$expected"; exit 1; }
