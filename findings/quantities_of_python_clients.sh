#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Two Python clients and the API server disagree on which quantities there are.
#
# Guess: parse_quantity() of a Kubernetes client reads what the API server reads and refuses the rest, so a tool that checks manifests, or adds
# up what the metrics API says, may use it.
# Seen with kubernetes 31.0.0, lightkube 0.15.5 and k8s.io/apimachinery v0.35.1: the official client reads "1mi" as 1/1024 and takes "1K", and
# both clients take "1e3k". The API server refuses all three. lightkube refuses "100u", "1n" and "1E3", which the API server accepts:
# metrics-server states CPU in nanocores, so lightkube's function cannot read its answers. "1e-10" is 1E-10 for the official client, a nano for
# the API server, a milli for lightkube.
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
		q, err := resource.ParseQuantity(text)
		if err != nil {
			fmt.Println("apimachinery", text, "refused")
			continue
		}
		fmt.Println("apimachinery", text, q.AsDec())
	}
}
GO
cat >other.py <<'PY'
import sys

from kubernetes.utils.quantity import parse_quantity as official
from lightkube.utils.quantity import parse_quantity as light

for name, parse in ('kubernetes', official), ('lightkube', light):
    for text in sys.argv[1:]:
        try:
            print(name, text, parse(text))
        except ValueError:
            print(name, text, 'refused')
PY
go mod init finding >/dev/null 2>&1
go get k8s.io/apimachinery/pkg/api/resource@v0.35.1 >/dev/null 2>&1
python3 -m venv venv
venv/bin/pip -q install kubernetes==31.0.0 lightkube==0.15.5
texts=(1mi 1K 1e3k 100u 1n 1E3 1e-10)
seen=$(go run . "${texts[@]}" && venv/bin/python other.py "${texts[@]}")
expected='apimachinery 1mi refused
apimachinery 1K refused
apimachinery 1e3k refused
apimachinery 100u 0.000100
apimachinery 1n 0.000000001
apimachinery 1E3 1000
apimachinery 1e-10 0.000000001
kubernetes 1mi 0.0009765625
kubernetes 1K 1000
kubernetes 1e3k 1.000E+6
kubernetes 100u 0.000100
kubernetes 1n 1E-9
kubernetes 1E3 1E+3
kubernetes 1e-10 1E-10
lightkube 1mi refused
lightkube 1K refused
lightkube 1e3k 1000000.000
lightkube 100u refused
lightkube 1n refused
lightkube 1E3 refused
lightkube 1e-10 0.001'
printf 'k8s.io/apimachinery v0.35.1, kubernetes 31.0.0, lightkube 0.15.5: quantities in units\n%s\n' "$seen"
[ "$seen" = "$expected" ] || { printf 'expected:\n%s\n' "$expected"; exit 1; }
