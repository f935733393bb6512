#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A weight of 0 does not keep a plugin of kube-scheduler from scoring, and nobody says so when a plugin that is to be disabled is misspelt.
#
# Guess: in a KubeSchedulerConfiguration, `weight: 0` takes the plugin's score out of the sum, and the name of a plugin that does not exist is
# refused wherever it stands, as it is below `enabled`.
# Seen with k8s.io/kubernetes v1.36.3: the weight of 0 is the weight 1, so that TaintToleration, which has 3 by default, still scores. The
# misspelt name below `disabled` is accepted, by the validation and by the scheduler, and NodeResourcesFit still scores.
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"

cat >config.yaml <<'YAML'
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    score:
      enabled: [{name: TaintToleration, weight: 0}]
      disabled: [{name: NodeResourceFit}]
YAML
cat >main.go <<'GO'
package main

import (
	"context"
	"fmt"
	"os"

	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

func main() {
	text, err := os.ReadFile("config.yaml")
	if err != nil {
		panic(err)
	}
	object, _, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		panic(err)
	}
	c := object.(*config.KubeSchedulerConfiguration)
	c.LeaderElection.LeaderElect = false
	fmt.Println("problems:", validation.ValidateKubeSchedulerConfiguration(c))
	client := fake.NewSimpleClientset()
	recorder := profile.NewRecorderFactory(events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()}))
	s, err := scheduler.New(context.Background(), client, scheduler.NewInformerFactory(client, 0), nil, recorder, scheduler.WithProfiles(c.Profiles...))
	if err != nil {
		panic(err)
	}
	for _, plugin := range s.Profiles["default-scheduler"].ListPlugins().Score.Enabled {
		if plugin.Name == "TaintToleration" || plugin.Name == "NodeResourcesFit" {
			fmt.Println(plugin.Name, plugin.Weight)
		}
	}
}
GO
export GOFLAGS=-mod=mod
go mod init finding >/dev/null 2>&1
# Its parts are modules of their own, of the version 0.36.3.
gomod=$(go mod download -json k8s.io/kubernetes@v1.36.3 | python3 -c 'import json, sys; print(json.load(sys.stdin)["GoMod"])')
for part in $(awk '$1 ~ /^k8s.io\// && $2 == "v0.0.0" { print $1 }' "$gomod"); do
    go mod edit -replace "$part=$part@v0.36.3"
done
go mod edit -require k8s.io/kubernetes@v1.36.3
seen=$(go run . 2>/dev/null)
expected='problems: <nil>
TaintToleration 1
NodeResourcesFit 1'
printf 'k8s.io/kubernetes v1.36.3\n%s\n' "$seen"
[ "$seen" = "$expected" ] || { printf 'expected:\n%s\n' "$expected"; exit 1; }
