#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A strategic merge patch of a soft topology spread makes the hard one beside it soft, and deleting the soft one deletes both.
#
# Guess: constraints of a pod are merged by topologyKey and whenUnsatisfiable, the two keys that server-side apply and the API server's check
# for duplicates use. A patch that names both changes one constraint.
# Seen with k8s.io/api and k8s.io/apimachinery v0.35.1: the merge key of kubectl patch and kustomize is topologyKey alone. A pod with a hard and
# a soft constraint over zones keeps no hard one when a patch sets maxSkew of the soft one: the first entry of that key takes the whole patch,
# and the second stays. With "$patch: delete" of the soft one, both go.
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"

cat >main.go <<'GO'
package main

import (
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

const pod = `{"topologySpreadConstraints": [
	{"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "maxSkew": 3},
	{"topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "maxSkew": 1}]}`

func main() {
	for _, change := range []string{`"maxSkew": 2`, `"$patch": "delete"`} {
		patch := `{"topologySpreadConstraints": [{"topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", ` + change + `}]}`
		text, err := strategicpatch.StrategicMergePatch([]byte(pod), []byte(patch), v1.PodSpec{})
		if err != nil {
			panic(err)
		}
		var merged v1.PodSpec
		if err := json.Unmarshal(text, &merged); err != nil {
			panic(err)
		}
		fmt.Printf("%s:", change)
		for _, c := range merged.TopologySpreadConstraints {
			fmt.Printf(" %s %d", c.WhenUnsatisfiable, c.MaxSkew)
		}
		fmt.Println()
	}
}
GO
go mod init finding >/dev/null 2>&1
go get k8s.io/api/core/v1@v0.35.1 k8s.io/apimachinery/pkg/util/strategicpatch@v0.35.1 >/dev/null 2>&1
seen=$(go run .)
expected='"maxSkew": 2: ScheduleAnyway 2 ScheduleAnyway 1
"$patch": "delete":'
printf 'k8s.io/apimachinery v0.35.1: what a patch of the soft constraint leaves of "DoNotSchedule 3, ScheduleAnyway 1"\n%s\n' "$seen"
[ "$seen" = "$expected" ] || { printf 'expected:\n%s\n' "$expected"; exit 1; }
