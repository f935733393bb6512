// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

type scheduled struct {
	Pods  int     `json:"pods"`
	Nodes int     `json:"nodes"`
	Took  int     `json:"placed"`
	Solve float64 `json:"solve_s"`
}

// The scheduling cycle of every pod, with the plugins and the share of the nodes that are the default: what finds its node, and
// what assumes that it is there. Nothing is bound through an API.
func schedule(w *world) (any, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := fake.NewSimpleClientset([]runtime.Object{}...)
	factory := scheduler.NewInformerFactory(client, 0, nil)
	recorder := profile.NewRecorderFactory(events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()}))
	sched, err := scheduler.New(ctx, client, factory, nil, recorder, scheduler.WithParallelism(1))
	if err != nil {
		return nil, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	log := klog.FromContext(ctx)
	for _, node := range w.nodes {
		sched.Cache.AddNode(log, node)
	}
	for _, pod := range w.bound {
		if err := sched.Cache.AddPod(log, pod); err != nil {
			return nil, err
		}
	}
	out := scheduled{Pods: len(w.pending), Nodes: len(w.nodes)}
	before := processor()
	for _, pod := range w.pending {
		node, err := place(ctx, sched, pod)
		if err != nil {
			return nil, err
		}
		if node != "" {
			out.Took++
		}
	}
	out.Solve = processor() - before
	return out, nil
}

// The node of the pod, which is assumed to be there; "" = there is none.
func place(ctx context.Context, sched *scheduler.Scheduler, pod *corev1.Pod) (string, error) {
	log := klog.FromContext(ctx)
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		return "", err
	}
	fw := sched.Profiles[corev1.DefaultSchedulerName]
	if err := sched.Cache.UpdateSnapshot(log, fw.SnapshotSharedLister().(*cache.Snapshot)); err != nil {
		return "", err
	}
	result, err := sched.SchedulePod(ctx, fw, framework.NewCycleState(), &framework.QueuedPodInfo{PodInfo: info})
	if err != nil {
		return "", nil // it fits nowhere
	}
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = result.SuggestedHost
	return result.SuggestedHost, sched.Cache.AssumePod(log, assumed)
}
