// SPDX-License-Identifier: Apache-2.0

package clusterautoscaler

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"sigs.k8s.io/cluster-autoscaler/pkg/cloudprovider"
	"sigs.k8s.io/cluster-autoscaler/pkg/estimator"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"

	karp "libkarp.dev/go"
)

// EstimatorName is for --estimator.
const EstimatorName = "libkarp"

// EstimatorOptions are how estimates are made.
type EstimatorOptions struct {
	// Limiter is asked for every node, as the bin packing of cluster-autoscaler asks it. nil = no limit.
	Limiter estimator.EstimationLimiter
	// Fallback estimates what libkarp does not: pods with claims of volumes or devices, or with a namespaceSelector. nil = no node for them.
	Fallback estimator.EstimatorBuilder
	// Effort is how many steps (about a microsecond each) a search for fewer nodes has. 0 = 300.
	Effort uint64
}

type estimate struct {
	snapshot clustersnapshot.ClusterSnapshot
	context  estimator.EstimationContext
	options  EstimatorOptions
}

// NewEstimatorBuilder makes estimators for cluster-autoscaler. They leave the snapshot as it is.
func NewEstimatorBuilder(options EstimatorOptions) estimator.EstimatorBuilder {
	if options.Effort == 0 {
		options.Effort = 300
	}
	return func(snapshot clustersnapshot.ClusterSnapshot, context estimator.EstimationContext) estimator.Estimator {
		return &estimate{snapshot, context, options}
	}
}

// Estimate is how many nodes like the template the pods need, and which pods go to them.
func (e *estimate) Estimate(groups []estimator.PodEquivalenceGroup, template *framework.NodeInfo, nodeGroup cloudprovider.NodeGroup) (int, []*corev1.Pod) {
	nodes, err := e.pack(groups, template)
	if err != nil {
		if e.options.Fallback != nil {
			klog.V(4).Infof("libkarp: %v; the other estimator is asked", err)
			return e.options.Fallback(e.snapshot, e.context).Estimate(groups, template, nodeGroup)
		}
		klog.Errorf("libkarp: no estimate: %v", err)
		return 0, nil
	}
	if e.options.Limiter != nil {
		e.options.Limiter.StartEstimation(groups, nodeGroup, e.context)
		defer e.options.Limiter.EndEstimation()
	}
	// Where there may be fewer nodes, these are the fullest.
	slices.SortStableFunc(nodes, func(a, b []*corev1.Pod) int { return len(b) - len(a) })
	count, placed := 0, make([]*corev1.Pod, 0)
	for _, pods := range nodes {
		if e.options.Limiter != nil && !e.options.Limiter.PermissionToAddNode() {
			break
		}
		count++
		placed = append(placed, pods...)
	}
	return count, placed
}

// pack returns the pods of each node.
func (e *estimate) pack(groups []estimator.PodEquivalenceGroup, template *framework.NodeInfo) ([][]*corev1.Pod, error) {
	for _, group := range groups {
		if exemplar := group.Exemplar(); exemplar != nil {
			if err := unsupported(exemplar); err != nil {
				return nil, err
			}
		}
	}
	cluster, err := around(e.snapshot, groups)
	if err != nil {
		return nil, err
	}
	if len(cluster) == 0 {
		if p := packingOf(groups, template, e.options.Effort); p != nil {
			return p.nodes()
		}
	}
	return e.plan(groups, template, cluster)
}

// plan decides with Karpenter's rules, among the nodes that stand.
func (e *estimate) plan(groups []estimator.PodEquivalenceGroup, template *framework.NodeInfo, cluster []*framework.NodeInfo) ([][]*corev1.Pod, error) {
	w, err := newWorld(convert([]*Group{{Template: template, Price: 1, Available: true}}, false))
	if err != nil {
		return nil, err
	}
	defer w.close()
	if err := w.addCluster(cluster); err != nil {
		return nil, err
	}
	for i, group := range groups {
		if err := w.place("group-"+strconv.Itoa(i), group.Pods...); err != nil {
			return nil, err
		}
	}
	plan, err := w.provision(&karp.Options{PlainKarp: true, Cost: true, Effort: e.options.Effort, IgnorePreferences: true})
	if err != nil {
		return nil, err
	}
	defer plan.Close()
	return w.launched(plan)
}

func (w *world) provision(options *karp.Options) (*karp.Decision, error) {
	snapshot, err := w.finish()
	if err != nil {
		return nil, err
	}
	defer snapshot.Close()
	return snapshot.Provision(context.Background(), options)
}

// launched are the pods of each launch.
func (w *world) launched(plan *karp.Decision) ([][]*corev1.Pod, error) {
	names, err := plan.Table(karp.TablePods)
	if err != nil {
		return nil, err
	}
	numbers := make([]*corev1.Pod, len(w.pods))
	for i, text := range names.Column("name").Text {
		number, err := strconv.Atoi(text)
		index := names.Column("index").Uint32[i]
		if err != nil || number >= len(w.pods) {
			return nil, fmt.Errorf("the plan has a pod %q", text)
		}
		for int(index) >= len(numbers) {
			numbers = append(numbers, nil)
		}
		numbers[index] = w.pods[number]
	}
	launches, err := plan.Table(karp.TableLaunches)
	if err != nil {
		return nil, err
	}
	pods, out := launches.Column("pods"), make([][]*corev1.Pod, launches.Rows)
	for i := range out {
		for _, index := range pods.Uint32[pods.Offsets[i]:pods.Offsets[i+1]] {
			out[i] = append(out[i], numbers[index])
		}
	}
	return out, nil
}
