// SPDX-License-Identifier: Apache-2.0

package karpenter

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	karp "libkarp.dev/go"
	feed "libkarp.dev/go/corev1"
)

// A world feeds a builder with a cluster.
type world struct {
	builder *karp.Builder
	feeder  *feed.Feeder
}

func newWorld(builder *karp.Builder) *world { return &world{builder, feed.NewFeeder(builder)} }

// nodePools are those that the caller found ready.
func (w *world) nodePools(pools []*v1.NodePool) error {
	for _, pool := range pools {
		out, err := NodePool(pool)
		if err != nil {
			return err
		}
		out.Conditions = nil
		for _, kind := range []string{"Ready", v1.ConditionTypeValidationSucceeded, v1.ConditionTypeNodeClassReady} {
			out.Conditions = append(out.Conditions, karp.Condition{Type: kind, Status: "True"})
		}
		if err := w.builder.AddNodePool(out); err != nil {
			return err
		}
	}
	return nil
}

// daemons are DaemonSets, each with the pod that Karpenter expects of it.
func (w *world) daemons(pods []*corev1.Pod) error {
	for i, pod := range pods {
		set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: fmt.Sprintf("daemon-%d", i)}}
		set.Spec.Template = corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels, Annotations: pod.Annotations}, Spec: *pod.Spec.DeepCopy()}
		set.Spec.Template.Spec.NodeName = ""
		if err := w.feeder.AddDaemonSet(set); err != nil {
			return err
		}
	}
	return nil
}

// nodes are those of the API server, as the state nodes have them where there are such; only state nodes can take pods.
func (w *world) nodes(ctx context.Context, in *Input) error {
	nodes, claims := &corev1.NodeList{}, &v1.NodeClaimList{}
	if err := in.Client.List(ctx, nodes); err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	if err := in.Client.List(ctx, claims); err != nil {
		return fmt.Errorf("listing NodeClaims: %w", err)
	}
	states := make([]karp.NodeState, 0, len(in.StateNodes))
	hasNode, hasClaim := map[string]bool{}, map[string]bool{}
	for _, s := range in.StateNodes {
		states = append(states, karp.NodeState{Name: s.Name()})
		if s.Node != nil {
			hasNode[s.Node.Name] = true
			if err := w.feeder.AddNode(s.Node); err != nil {
				return err
			}
		}
		if s.NodeClaim != nil {
			hasClaim[s.NodeClaim.Name] = true
			if err := w.builder.AddNodeClaim(NodeClaim(s.NodeClaim)); err != nil {
				return err
			}
		}
	}
	for i := range nodes.Items {
		if !hasNode[nodes.Items[i].Name] {
			if err := w.feeder.AddNode(&nodes.Items[i]); err != nil {
				return err
			}
		}
	}
	for i := range claims.Items {
		if !hasClaim[claims.Items[i].Name] {
			if err := w.builder.AddNodeClaim(NodeClaim(&claims.Items[i])); err != nil {
				return err
			}
		}
	}
	return w.builder.SetNodeStates(states)
}

// pods are those of the API server, and those to place as the caller has them.
func (w *world) pods(ctx context.Context, c client.Client, place []*corev1.Pod) error {
	all := &corev1.PodList{}
	if err := c.List(ctx, all); err != nil {
		return fmt.Errorf("listing pods: %w", err)
	}
	given, names := make(map[string]bool, len(place)), make([]string, len(place))
	for i, pod := range place {
		names[i] = key(pod)
		given[names[i]] = true
		if err := w.feeder.AddPod(pod); err != nil {
			return err
		}
	}
	for i := range all.Items {
		if !given[key(&all.Items[i])] {
			if err := w.feeder.AddPod(&all.Items[i]); err != nil {
				return err
			}
		}
	}
	return w.builder.SetPodsToPlace(names)
}

// each object of a list goes to the builder.
func list[T any](ctx context.Context, c client.Client, list client.ObjectList, items func() []T, add func(*T) error) error {
	if err := c.List(ctx, list); err != nil {
		return fmt.Errorf("listing %T: %w", list, err)
	}
	all := items()
	for i := range all {
		if err := add(&all[i]); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) volumes(ctx context.Context, c client.Client) error {
	namespaces, claims, volumes := &corev1.NamespaceList{}, &corev1.PersistentVolumeClaimList{}, &corev1.PersistentVolumeList{}
	classes, nodes := &storagev1.StorageClassList{}, &storagev1.CSINodeList{}
	for _, step := range []func() error{
		func() error {
			return list(ctx, c, namespaces, func() []corev1.Namespace { return namespaces.Items }, w.feeder.AddNamespace)
		},
		func() error {
			return list(ctx, c, claims, func() []corev1.PersistentVolumeClaim { return claims.Items }, w.feeder.AddPersistentVolumeClaim)
		},
		func() error {
			return list(ctx, c, volumes, func() []corev1.PersistentVolume { return volumes.Items }, w.feeder.AddPersistentVolume)
		},
		func() error {
			return list(ctx, c, classes, func() []storagev1.StorageClass { return classes.Items }, w.feeder.AddStorageClass)
		},
		func() error {
			return list(ctx, c, nodes, func() []storagev1.CSINode { return nodes.Items }, w.feeder.AddCSINode)
		},
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) devices(ctx context.Context, c client.Client) error {
	slices, classes, claims := &resourcev1.ResourceSliceList{}, &resourcev1.DeviceClassList{}, &resourcev1.ResourceClaimList{}
	for _, step := range []func() error{
		func() error {
			return list(ctx, c, slices, func() []resourcev1.ResourceSlice { return slices.Items },
				func(s *resourcev1.ResourceSlice) error { return w.builder.AddResourceSlice(ResourceSlice(s)) })
		},
		func() error {
			return list(ctx, c, classes, func() []resourcev1.DeviceClass { return classes.Items },
				func(d *resourcev1.DeviceClass) error { return w.builder.AddDeviceClass(DeviceClass(d)) })
		},
		func() error {
			return list(ctx, c, claims, func() []resourcev1.ResourceClaim { return claims.Items },
				func(r *resourcev1.ResourceClaim) error { return w.builder.AddResourceClaim(ResourceClaim(r)) })
		},
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
