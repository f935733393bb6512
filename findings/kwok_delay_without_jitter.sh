#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# kwok ends a pod of a Job after 5 s, although an annotation of its own stage says that it runs for a minute.
#
# Guess: `pod-complete.stage.kwok.x-k8s.io/delay: 60s` lets the pods of a Job run for 60 s, or a little more by chance.
# Seen with sigs.k8s.io/kwok v0.8.0: they run for 5 s. The jitter of a stage is no addition, but the latest time, and that of pod-complete is 5 s
# unless an annotation states it as well. So `jitter-delay: 60s` gives a minute, and a jitter of 70 s something from 60 s to 70 s.
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"

cat >go.mod <<'MOD'
module delay

go 1.26

require sigs.k8s.io/kwok v0.8.0
MOD
cat >main.go <<'GO'
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kwok/pkg/apis/internalversion"
	"sigs.k8s.io/kwok/pkg/apis/v1alpha1"
	"sigs.k8s.io/kwok/pkg/utils/lifecycle"
	"sigs.k8s.io/yaml"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var given v1alpha1.Stage
	if err := yaml.Unmarshal(text, &given); err != nil {
		panic(err)
	}
	stage, err := internalversion.ConvertToInternalStage(&given)
	if err != nil {
		panic(err)
	}
	cycle, err := lifecycle.NewLifecycle([]*internalversion.Stage{stage})
	if err != nil {
		panic(err)
	}
	for _, jitter := range []string{"", "60s", "70s"} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", OwnerReferences: []metav1.OwnerReference{{Kind: "Job", Name: "j"}}}}
		pod.Annotations = map[string]string{"pod-complete.stage.kwok.x-k8s.io/delay": "60s"}
		if jitter != "" {
			pod.Annotations["pod-complete.stage.kwok.x-k8s.io/jitter-delay"] = jitter
		}
		pod.Status.Phase = corev1.PodRunning
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		event := &lifecycle.Event{Annotations: pod.Annotations, Data: pod}
		found, err := cycle.Match(context.Background(), event)
		if err != nil {
			panic(err)
		}
		delay, _, err := found.Delay(context.Background(), event, time.Now())
		if err != nil {
			panic(err)
		}
		fmt.Printf("delay 60s, jitter-delay %q: %v\n", jitter, delay.Round(5*time.Second))
	}
}
GO
source=$(go mod download -json sigs.k8s.io/kwok@v0.8.0 | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
go mod tidy >/dev/null 2>&1
seen=$(go run . "$source/kustomize/stage/pod/general/pod-complete.yaml")
printf 'sigs.k8s.io/kwok v0.8.0\n%s\n' "$seen"
[[ $seen == *'jitter-delay "": 5s'* && $seen == *'jitter-delay "60s": 1m0s'* ]] || exit 1
