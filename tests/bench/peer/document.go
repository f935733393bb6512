// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

// A Snapshot document, as far as the inputs of the benchmarks use one.
type document struct {
	Kind   string    `json:"kind"`
	Now    time.Time `json:"now"`
	Labels struct {
		WellKnown []string `json:"wellKnown"`
	} `json:"labels"`
	Catalogues []struct {
		NodePools     []string       `json:"nodePools"`
		Path          string         `json:"path"`
		InstanceTypes []instanceType `json:"instanceTypes"`
	} `json:"catalogues"`
	State struct {
		Method string `json:"method"`
	} `json:"state"`
	Objects []json.RawMessage `json:"objects"`
}

type requirement struct {
	Key      string                      `json:"key"`
	Operator corev1.NodeSelectorOperator `json:"operator"`
	Values   []string                    `json:"values"`
}

type instanceType struct {
	Name         string              `json:"name"`
	Requirements []requirement       `json:"requirements"`
	Capacity     corev1.ResourceList `json:"capacity"`
	Overhead     struct {
		KubeReserved      corev1.ResourceList `json:"kubeReserved"`
		SystemReserved    corev1.ResourceList `json:"systemReserved"`
		EvictionThreshold corev1.ResourceList `json:"evictionThreshold"`
	} `json:"overhead"`
	Offerings []struct {
		Requirements []requirement `json:"requirements"`
		Price        float64       `json:"price"`
		Available    bool          `json:"available"`
	} `json:"offerings"`
}

// input is a document in Karpenter's own types.
type input struct {
	document
	objects []client.Object
	types   map[string][]*cloudprovider.InstanceType // by NodePool; "" = every one
}

func readInput(path string) (*input, error) {
	in := &input{types: map[string][]*cloudprovider.InstanceType{}}
	if err := readJSON(path, &in.document); err != nil {
		return nil, err
	}
	if in.Kind != "Snapshot" {
		return nil, fmt.Errorf("%s: kind %q, a Snapshot was expected", path, in.Kind)
	}
	decoder := scheme.Codecs.UniversalDeserializer()
	for i, raw := range in.Objects {
		object, _, err := decoder.Decode(raw, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: object %d: %w", path, i, err)
		}
		in.objects = append(in.objects, object.(client.Object))
	}
	for _, c := range in.Catalogues {
		list := c.InstanceTypes
		if c.Path != "" {
			if err := readJSON(filepath.Join(filepath.Dir(path), c.Path), &list); err != nil {
				return nil, err
			}
		}
		pools := c.NodePools
		if len(pools) == 0 {
			pools = []string{""}
		}
		for _, pool := range pools {
			in.types[pool] = append(in.types[pool], convertTypes(list)...)
		}
	}
	return in, nil
}

func readJSON(path string, into any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func convertRequirements(list []requirement) scheduling.Requirements {
	out := scheduling.NewRequirements()
	for _, r := range list {
		out.Add(scheduling.NewRequirement(r.Key, r.Operator, r.Values...))
	}
	return out
}

func convertTypes(list []instanceType) []*cloudprovider.InstanceType {
	out := make([]*cloudprovider.InstanceType, 0, len(list))
	for _, t := range list {
		converted := &cloudprovider.InstanceType{
			Name:         t.Name,
			Requirements: convertRequirements(t.Requirements),
			Capacity:     t.Capacity,
			Overhead: &cloudprovider.InstanceTypeOverhead{
				KubeReserved:      t.Overhead.KubeReserved,
				SystemReserved:    t.Overhead.SystemReserved,
				EvictionThreshold: t.Overhead.EvictionThreshold,
			},
		}
		for _, o := range t.Offerings {
			converted.Offerings = append(converted.Offerings, &cloudprovider.Offering{
				Requirements: convertRequirements(o.Requirements), Price: o.Price, Available: o.Available})
		}
		out = append(out, converted)
	}
	return out
}

// karpenterContext carries the options a controller is started with; one worker, as a library call has one thread.
func karpenterContext() (context.Context, error) {
	chosen := &options.Options{}
	flags := &options.FlagSet{FlagSet: flag.NewFlagSet("karpenter", flag.ContinueOnError)}
	chosen.AddFlags(flags)
	if err := chosen.Parse(flags, "--cpu-requests=1000"); err != nil {
		return nil, err
	}
	return options.ToContext(context.Background(), chosen), nil
}

var builtInLabels = karpv1.WellKnownLabels.Clone()

// useLabels replaces the process-wide table of labels that need no definition.
func (in *input) useLabels() {
	karpv1.WellKnownLabels = builtInLabels.Clone().Insert(in.Labels.WellKnown...)
}
