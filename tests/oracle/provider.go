// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"slices"

	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

// provider serves the catalogues of a world. What launches or deletes panics.
type provider struct {
	cloudprovider.CloudProvider
	types   map[string][]*cloudprovider.InstanceType
	classes []status.Object
}

func newProvider(s *snapshot) *provider {
	p := &provider{types: map[string][]*cloudprovider.InstanceType{}}
	seen := map[schema.GroupKind]bool{}
	for _, pool := range s.pools() {
		for _, c := range s.catalogues {
			if len(c.pools) == 0 || slices.Contains(c.pools, pool.Name) {
				p.types[pool.Name] = append(p.types[pool.Name], instanceTypes(c.types)...)
			}
		}
		// Every class that a pool names is one that the provider supports.
		kind := pool.Spec.Template.Spec.NodeClassRef.GroupKind()
		if !seen[kind] {
			class := &nodeClass{}
			class.SetGroupVersionKind(kind.WithVersion("v1"))
			p.classes = append(p.classes, class)
		}
		seen[kind] = true
	}
	return p
}

func (p *provider) Name() string                             { return "oracle" }
func (p *provider) GetSupportedNodeClasses() []status.Object { return p.classes }
func (p *provider) GetInstanceTypes(_ context.Context, pool *v1.NodePool) ([]*cloudprovider.InstanceType, error) {
	return p.types[pool.Name], nil
}

type nodeClass struct {
	unstructured.Unstructured
	conditions []status.Condition
}

func (c *nodeClass) GetConditions() []status.Condition     { return c.conditions }
func (c *nodeClass) SetConditions(list []status.Condition) { c.conditions = list }
func (c *nodeClass) StatusConditions(o ...status.ForOption) status.ConditionSet {
	return status.NewReadyConditions().For(c, o...)
}

func requirements(list []requirement) scheduling.Requirements {
	out := scheduling.NewRequirements()
	for _, r := range list {
		out.Add(scheduling.NewRequirement(r.Key, corev1.NodeSelectorOperator(r.Operator), r.Values...))
	}
	return out
}

func (o *overhead) lists() *cloudprovider.InstanceTypeOverhead {
	if o == nil {
		return nil
	}
	return &cloudprovider.InstanceTypeOverhead{
		KubeReserved: o.KubeReserved, SystemReserved: o.SystemReserved, EvictionThreshold: o.EvictionThreshold,
	}
}

func instanceTypes(entries []typeEntry) []*cloudprovider.InstanceType {
	out := make([]*cloudprovider.InstanceType, 0, len(entries))
	for _, e := range entries {
		t := &cloudprovider.InstanceType{
			Name: e.Name, Requirements: requirements(e.Requirements), Capacity: e.Capacity, Overhead: e.Overhead.lists(),
		}
		limitVolumes(t, e.VolumeLimits)
		bringDevices(t, e.Devices)
		if t.Overhead == nil {
			t.Overhead = &cloudprovider.InstanceTypeOverhead{}
		}
		for _, o := range e.Offerings {
			t.Offerings = append(t.Offerings, &cloudprovider.Offering{
				Requirements: requirements(o.Requirements), Price: o.Price, Available: o.Available == nil || *o.Available,
				ReservationCapacity: o.ReservationCapacity, CapacityOverride: o.CapacityOverride,
				OverheadOverride: o.OverheadOverride.lists(),
			})
		}
		out = append(out, t)
	}
	return out
}
