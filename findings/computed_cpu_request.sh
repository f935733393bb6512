#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A CPU request that a program computed as a float takes one millicore more than it says.
#
# Guess: 0.1 + 0.2 cores, written to a manifest as Python's json or PyYAML writes it, is a request of 300m: the parts beyond the nanocore
# are rounding noise.
# Seen with k8s.io/apimachinery v0.35.1: the quantity keeps nine decimals and rounds the rest up, away from zero, to 300000001n. The scheduler
# and Karpenter count millicores, which are rounded up as well: 301m. Ten such pods need 3010m, and do not fit on 3 allocatable cores.
# Memory is rounded up to whole bytes: 1.1 * 1024**3 (1181116006.4) is 1181116007.
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"

cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/api/resource"
)

func main() {
	for _, text := range os.Args[1:] {
		q := resource.MustParse(text)
		fmt.Println(text, q.String(), q.MilliValue(), q.Value())
	}
}
GO
go mod init finding >/dev/null 2>&1
go get k8s.io/apimachinery/pkg/api/resource@v0.35.1 >/dev/null 2>&1
texts=$(python3 -c 'import json; print(*map(json.dumps, (0.3, 0.1 + 0.2, 10 * 0.3, 1.1 * 1024**3)))')
# shellcheck disable=SC2086
seen=$(go run . $texts)
expected='0.3 300m 300 1
0.30000000000000004 300000001n 301 1
3.0 3 3000 3
1181116006.4 1181116006400m 1181116006400 1181116007'
printf 'k8s.io/apimachinery v0.35.1, %s: text, quantity, thousandths, whole\n%s\n' "$(python3 --version)" "$seen"
[ "$seen" = "$expected" ] || { printf 'expected:\n%s\n' "$expected"; exit 1; }
