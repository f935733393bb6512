// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package document_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	karp "libkarp.dev/go"
	"libkarp.dev/go/document"
)

const quickstart = "../../../examples/quickstart"

func good(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func TestRead(t *testing.T) {
	input, err := document.Read(nil, quickstart)
	good(t, err)
	defer input.Close()
	plan, err := input.Snapshot.Provision(context.Background(), nil)
	good(t, err)
	defer plan.Close()
	launches, err := plan.Launches()
	good(t, err)
	if len(launches) != 3 || launches[0].Choice.InstanceType != "r5a.2xlarge" {
		t.Fatalf("%+v", launches)
	}
	text, err := document.WritePlan(plan, document.Text)
	good(t, err)
	if !strings.Contains(string(text), "3 to launch, 1 node receives pods") {
		t.Fatalf("%s", text)
	}
	claims, err := document.WritePlan(plan, document.YAML)
	good(t, err)
	if bytes.Count(claims, []byte("kind: NodeClaim")) != 3 {
		t.Fatalf("%s", claims)
	}
	if _, err := document.WriteDisruption(plan, document.YAML); !errors.Is(err, karp.ErrUnsupported) {
		t.Fatal(err)
	}
	plan.Close()
	if _, err := document.WritePlan(plan, document.JSON); !errors.Is(err, karp.ErrClosed) {
		t.Fatal(err)
	}
}

// The canonical Snapshot is the whole input: it reads back as itself.
func TestDump(t *testing.T) {
	first, err := document.Read(&document.Options{Keep: true}, quickstart)
	good(t, err)
	defer first.Close()
	if len(first.Digest) != 64 || !bytes.Contains(first.Dump, []byte(`"kind":"Snapshot"`)) {
		t.Fatalf("digest %q, dump of %d bytes", first.Digest, len(first.Dump))
	}
	again, err := document.ReadBytes(&document.Options{Keep: true}, "dump", first.Dump)
	good(t, err)
	defer again.Close()
	if again.Digest != first.Digest || !bytes.Equal(again.Dump, first.Dump) {
		t.Fatal("another Snapshot")
	}
}

func TestErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pods.yaml")
	good(t, os.WriteFile(path, []byte("apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: web}\nspec:\n  containers:\n"+
		"  - name: c\n    resources: {requests: {cpu: lots}}\n"), 0o600))
	_, err := document.Read(nil, path)
	var e *karp.Error
	if !errors.As(err, &e) || !errors.Is(err, karp.ErrInvalid) {
		t.Fatal(err)
	}
	if filepath.Base(e.Document) != "pods.yaml" || e.Line != 7 || e.Column == 0 || e.Object != "Pod web/a" || !strings.HasPrefix(e.Field, "spec.containers[0]") {
		t.Fatalf("%+v", e)
	}
	if _, err := document.ReadBytes(nil, "x", []byte("{")); !errors.Is(err, karp.ErrSyntax) {
		t.Fatal(err)
	}
	if _, err := document.Read(nil, filepath.Join(t.TempDir(), "absent")); !errors.Is(err, karp.ErrIO) {
		t.Fatal(err)
	}
	if _, err := document.BuiltinCatalogue("the-moon-1"); !errors.Is(err, karp.ErrNotFound) {
		t.Fatal(err)
	}
	if _, err := document.CatalogueFile("absent.json"); !errors.Is(err, karp.ErrIO) {
		t.Fatal(err)
	}
}

func TestOptions(t *testing.T) {
	now := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	input, err := document.Read(&document.Options{Now: now, Region: "eu-west-1", Provider: "aws", Strict: true}, quickstart)
	good(t, err)
	defer input.Close()
	got, err := input.Snapshot.Now()
	good(t, err)
	if !got.Equal(now) {
		t.Fatal(got)
	}
	catalogue, err := document.BuiltinCatalogue("eu-west-1")
	good(t, err)
	defer catalogue.Close()
	if catalogue.Len() < 100 {
		t.Fatal(catalogue.Len())
	}
}

func TestQueued(t *testing.T) {
	for queued, wanted := range map[bool]int{true: 3, false: 0} {
		input, err := document.Read(&document.Options{Queued: queued}, "../../../examples/queue")
		good(t, err)
		asked, err := input.Snapshot.Admit(context.Background(), nil)
		good(t, err)
		if len(asked.Workloads) != wanted {
			t.Fatalf("%t: %+v", queued, asked.Workloads)
		}
		asked.Close()
		input.Close()
	}
}

func TestReplay(t *testing.T) {
	boot := time.Minute
	day := document.ReplayOptions{Traces: []string{"../../../examples/replay/day.yaml"}, Policies: []string{"karpenter", "karp"},
		UntilAfter: 2 * time.Hour, Boot: &boot, Interruptions: []document.Interruption{{PerHour: 0.1}}}
	got, err := document.Replay(&day)
	good(t, err)
	if len(got.Policies) != 2 || got.Policies[1].Policy != "karp" || got.Ends.Sub(got.Begins) != 2*time.Hour {
		t.Fatalf("%+v", got)
	}
	bill := got.Policies[0]
	if bill.Dollars <= 0 || bill.Launches == 0 || bill.PendingSeconds.Max < 60 || len(bill.Series["time"]) != len(bill.Series["nodes"]) {
		t.Fatalf("%+v", bill)
	}
	if bill.Repack != nil {
		t.Fatalf("%+v", bill.Repack)
	}
	day.Repack = "absent.json"
	if _, err := document.Replay(&day); !errors.Is(err, karp.ErrIO) {
		t.Fatal(err)
	}
	day.Repack, day.FeatureGates = "", "Foo=true"
	if _, err := document.Replay(&day); !errors.Is(err, karp.ErrInvalid) {
		t.Fatal(err)
	}
	day.FeatureGates, day.Policies = "NodeOverlay=true", []string{"dear"}
	if _, err := document.Replay(&day); !errors.Is(err, karp.ErrNotFound) {
		t.Fatal(err)
	}
	if _, err := document.Replay(nil); !errors.Is(err, karp.ErrInvalid) {
		t.Fatal(err)
	}
}

// A full reservation of EC2 is waited for since 1.15; before it was unavailable.
func TestPeerVersion(t *testing.T) {
	text := `{"apiVersion":"v1","kind":"List","items":[
{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"p"},"spec":{"template":{"spec":{
 "nodeClassRef":{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"c"},
 "requirements":[{"key":"karpenter.sh/capacity-type","operator":"In","values":["reserved"]}]}}}},
{"apiVersion":"karpenter.k8s.aws/v1","kind":"EC2NodeClass","metadata":{"name":"c"},"spec":{"role":"r","amiSelectorTerms":[{"alias":"al2023@latest"}]},
 "status":{"subnets":[{"id":"s","zone":"us-west-2a","zoneID":"usw2-az1"}],
 "capacityReservations":[{"id":"cr-1","instanceType":"m5.large","availabilityZone":"us-west-2a","availableInstanceCount":0}]}},
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"c"}]}}]}`
	var codes []karp.Reason
	for _, profile := range []string{"karpenter-1.14", "karpenter-1.15"} {
		var options karp.Options
		good(t, options.SetProfile(profile))
		input, err := document.ReadBytes(&document.Options{Region: "us-west-2", PeerVersion: options.PeerVersion}, "text", []byte(text))
		good(t, err)
		defer input.Close()
		plan, err := input.Snapshot.Provision(context.Background(), &options)
		good(t, err)
		defer plan.Close()
		refused, err := plan.Unschedulable()
		good(t, err)
		if len(refused) != 1 {
			t.Fatalf("%s: %+v", profile, refused)
		}
		codes = append(codes, refused[0].Code)
	}
	if codes[0] == codes[1] {
		t.Errorf("both versions: %v", codes)
	}
}

// The documents of an input have what the program's have, those of a decision alone have not.
func TestDocumentsSayWhatPricesLack(t *testing.T) {
	const windows = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: win}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: win}
      requirements: [{key: kubernetes.io/os, operator: In, values: [windows]}]
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, resources: {requests: {cpu: 2}}}]}
`
	input, err := document.ReadBytes(&document.Options{Keep: true}, "win.yaml", []byte(windows))
	good(t, err)
	defer input.Close()
	plan, err := input.Snapshot.Provision(context.Background(), nil)
	good(t, err)
	defer plan.Close()
	text, err := input.WritePlan(plan, document.JSON)
	good(t, err)
	for _, want := range []string{`"withoutLicences": "Windows"`, `"provider": "aws"`, input.Digest, input.Warnings[0]} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	alone, err := document.WritePlan(plan, document.JSON)
	good(t, err)
	if bytes.Contains(alone, []byte("withoutLicences")) {
		t.Errorf("%s", alone)
	}
}
