// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package document_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	karp "libkarp.dev/go"
	"libkarp.dev/go/document"
)

// side is a design as Comparisons and Settlements have it.
type side struct {
	Name                      string
	Nodes, Launches, PodsLeft int
	Cost                      struct{ PerHour float64 }
}

func TestSettle(t *testing.T) {
	input, err := document.Read(nil, quickstart)
	good(t, err)
	defer input.Close()
	var settled struct {
		Kind    string
		Rounds  []struct{ Launches int }
		Designs []side
	}
	text, err := document.Settle(input.Snapshot, "", true)
	good(t, err)
	good(t, json.Unmarshal(text, &settled))
	if settled.Kind != "Settlement" || settled.Rounds[0].Launches != 3 || settled.Designs[1].Name != "settled" || settled.Designs[0].Cost.PerHour <= 0 {
		t.Fatalf("%s", text)
	}
	if _, err := document.Settle(input.Snapshot, "karpenter-1", true); !errors.Is(err, karp.ErrNotFound) {
		t.Fatal(err)
	}
}

// apart has pods that Karpenter cannot launch for in one round: limits count a launch as its largest type.
const apart = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  limits: {cpu: 100}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 5
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}
      containers: [{name: c, image: x, resources: {requests: {cpu: 500m, memory: 1Gi}}}]
`

func TestSettledCost(t *testing.T) {
	input, err := document.ReadBytes(nil, "apart.yaml", []byte(apart))
	good(t, err)
	defer input.Close()
	plan, err := input.Snapshot.Provision(context.Background(), nil)
	good(t, err)
	defer plan.Close()
	type cost struct{ After string }
	var first, settled struct {
		Cost        cost
		SettledCost *cost
	}
	text, err := input.WritePlan(plan, document.JSON)
	good(t, err)
	good(t, json.Unmarshal(text, &first))
	text, err = input.WriteSettled(plan, "", document.JSON)
	good(t, err)
	good(t, json.Unmarshal(text, &settled))
	if first.SettledCost != nil || settled.SettledCost == nil || settled.Cost != first.Cost || settled.SettledCost.After == first.Cost.After {
		t.Fatalf("%s", text)
	}
	var rounds struct{ Designs []side }
	text, err = document.Settle(input.Snapshot, "", false)
	good(t, err)
	good(t, json.Unmarshal(text, &rounds))
	if fmt.Sprint(rounds.Designs[1].Cost.PerHour) != settled.SettledCost.After || fmt.Sprint(rounds.Designs[0].Cost.PerHour) != first.Cost.After {
		t.Fatalf("%s", text)
	}
	if _, err := input.WriteSettled(plan, "karpenter-1", document.JSON); !errors.Is(err, karp.ErrNotFound) {
		t.Fatal(err)
	}
}

func TestDiff(t *testing.T) {
	input, err := document.Read(nil, quickstart)
	good(t, err)
	defer input.Close()
	text, err := document.Diff(input.Snapshot, "karpenter-1.14", "karpenter-1.15", document.Text)
	good(t, err)
	if !strings.HasPrefix(string(text), "karp diff  karpenter-1.14 → karpenter-1.15\n") {
		t.Fatalf("%s", text)
	}
	if _, err := document.Diff(input.Snapshot, "karp", "karp", document.YAML); !errors.Is(err, karp.ErrUnsupported) {
		t.Fatal(err)
	}
	good(t, input.Close())
	if _, err := document.Diff(input.Snapshot, "karp", "karp", document.JSON); !errors.Is(err, karp.ErrClosed) {
		t.Fatal(err)
	}
}

func TestCompare(t *testing.T) {
	input, err := document.Read(nil, quickstart)
	good(t, err)
	defer input.Close()
	plan, err := input.Snapshot.Provision(context.Background(), nil)
	good(t, err)
	defer plan.Close()
	dear, err := input.Snapshot.WhatIf(context.Background(), nil, karp.ScalePrice("", 2))
	good(t, err)
	defer dear.Close()
	text, err := document.Compare(document.Design{"today", input.Snapshot, plan}, document.Design{"dear", input.Snapshot, dear})
	good(t, err)
	var found struct{ Designs []side }
	good(t, json.Unmarshal(text, &found))
	if found.Designs[0].Launches != 3 || found.Designs[1].Name != "dear" || found.Designs[1].Cost.PerHour <= found.Designs[0].Cost.PerHour {
		t.Fatalf("%s", text)
	}
	if _, err := document.Compare(); !errors.Is(err, karp.ErrInvalid) {
		t.Fatal(err)
	}
}
