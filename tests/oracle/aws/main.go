// SPDX-License-Identifier: Apache-2.0

// What karpenter-provider-aws makes of EC2's descriptions of instance types, under several node classes.
//
//	aws QUESTION.json
//
// The question has what EC2 says of the types and their zones, and a list of settings (ask.py). For each setting one line is printed:
// {NAME: what the provider answers, ...}.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	kubeletcel "github.com/aws/karpenter-provider-aws/pkg/cel"
	"github.com/aws/karpenter-provider-aws/pkg/operator/options"
	"github.com/aws/karpenter-provider-aws/pkg/providers/instancetype"
	"github.com/aws/karpenter-provider-aws/pkg/providers/instancetype/compatibility"
	"github.com/aws/karpenter-provider-aws/pkg/providers/placementgroup"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

type setting struct {
	ReservedENIs   int             `json:"reservedENIs"`
	Class          v1.EC2NodeClass `json:"class"`
	PlacementGroup string          `json:"placementGroup"`
}

type question struct {
	Region   string                               `json:"region"`
	Types    map[string]ec2types.InstanceTypeInfo `json:"types"` // as DescribeInstanceTypes lists them
	Zones    map[string][]string                  `json:"zones"` // by type
	Settings []setting                            `json:"settings"`
}

type answer struct {
	Labels            map[string][]string `json:"labels"`
	Capacity          map[string]string   `json:"capacity"`
	KubeReserved      map[string]string   `json:"kubeReserved"`
	SystemReserved    map[string]string   `json:"systemReserved"`
	EvictionThreshold map[string]string   `json:"evictionThreshold"`
	Allocatable       map[string]string   `json:"allocatable"`
	Fits              bool                `json:"fits"` // the class
}

// amounts are exact decimals. Those of none are left out.
func amounts(list corev1.ResourceList) map[string]string {
	out := map[string]string{}
	for name, quantity := range list {
		if !quantity.IsZero() {
			out[string(name)] = quantity.AsDec().String()
		}
	}
	return out
}

func labels(requirements scheduling.Requirements) map[string][]string {
	out := map[string][]string{}
	for key, r := range requirements {
		if r.Operator() == corev1.NodeSelectorOpIn {
			out[key] = r.Values()
			slices.Sort(out[key])
		}
	}
	return out
}

// listed tells which types the provider asks EC2 for: the filters of UpdateInstanceTypes().
func listed(t ec2types.InstanceTypeInfo) bool {
	if !slices.Contains(t.SupportedVirtualizationTypes, ec2types.VirtualizationTypeHvm) {
		return false
	}
	return slices.ContainsFunc(t.ProcessorInfo.SupportedArchitectures, func(a ec2types.ArchitectureType) bool {
		return a == ec2types.ArchitectureTypeX8664 || a == ec2types.ArchitectureTypeArm64
	})
}

func answers(q *question, s *setting, resolver *instancetype.DefaultResolver) (map[string]answer, error) {
	ctx := options.ToContext(context.Background(), &options.Options{VMMemoryOverheadPercent: 0.075, ReservedENIs: s.ReservedENIs})
	kubelet, err := v1.ParseKubeletConfig(s.Class.KubeletConfiguration())
	if err != nil {
		return nil, err
	}
	var group *placementgroup.PlacementGroup
	if s.PlacementGroup != "" {
		group = &placementgroup.PlacementGroup{Strategy: placementgroup.Strategy(s.PlacementGroup)}
	}
	out := map[string]answer{}
	for name, info := range q.Types {
		if !listed(info) {
			continue
		}
		t, err := resolver.Resolve(ctx, info, q.Zones[name], &s.Class, kubelet)
		if err != nil {
			return nil, err
		}
		out[name] = answer{
			Labels: labels(t.Requirements), Capacity: amounts(t.Capacity), KubeReserved: amounts(t.Overhead.KubeReserved),
			SystemReserved: amounts(t.Overhead.SystemReserved), EvictionThreshold: amounts(t.Overhead.EvictionThreshold),
			Allocatable: amounts(t.Allocatable()), Fits: compatibility.IsCompatibleWithNodeClass(info, &s.Class, group),
		}
	}
	return out, nil
}

func run() error {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	q := question{}
	if err := json.Unmarshal(text, &q); err != nil {
		return err
	}
	environment, err := kubeletcel.NewEnvironment()
	if err != nil {
		return err
	}
	write := json.NewEncoder(os.Stdout)
	resolver := instancetype.NewDefaultResolver(q.Region, environment)
	for i := range q.Settings {
		out, err := answers(&q, &q.Settings[i], resolver)
		if err != nil {
			return fmt.Errorf("setting %d: %w", i, err)
		}
		if err := write.Encode(out); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "aws:", err)
		os.Exit(1)
	}
}
