// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// document is a Snapshot (docs/formats.md) as far as Karpenter can be asked about it.
type document struct {
	Now      time.Time `json:"now"`
	Settings struct {
		PreferencePolicy     string          `json:"preferencePolicy"`
		MinValuesPolicy      string          `json:"minValuesPolicy"`
		ReservedOfferingMode string          `json:"reservedOfferingMode"`
		FeatureGates         map[string]bool `json:"featureGates"`
		IgnoreDRARequests    *bool           `json:"ignoreDRARequests"`
		SchedulerConfig      json.RawMessage `json:"schedulerConfig"`
	} `json:"settings"`
	Labels struct {
		WellKnown         []string          `json:"wellKnown"`
		Restricted        []string          `json:"restricted"`
		RestrictedDomains []string          `json:"restrictedDomains"`
		Normalized        map[string]string `json:"normalized"`
		ReservationID     string            `json:"reservationID"`
	} `json:"labels"`
	Catalogues []struct {
		NodePools     []string    `json:"nodePools"`
		Path          string      `json:"path"`
		InstanceTypes []typeEntry `json:"instanceTypes"`
	} `json:"catalogues"`
	State struct {
		Nodes                   *[]stateNode   `json:"nodes"`
		Pods                    *[]string      `json:"pods"`
		ConsolidationSimulation bool           `json:"consolidationSimulation"`
		ReservationCredit       map[string]int `json:"reservationCredit"`
	} `json:"state"`
	Objects []json.RawMessage `json:"objects"`
}

// stateNode is a node that the scheduler is to know.
type stateNode struct {
	Name              string `json:"name"`
	MarkedForDeletion bool   `json:"markedForDeletion"`
}

// typeEntry is an entry of a catalogue in the full shape. Labels, and what stands in offerings beside requirements, are
// shorthands (catalogue.go).
type typeEntry struct {
	Name         string              `json:"name"`
	Labels       map[string][]string `json:"labels"`
	Requirements []requirement       `json:"requirements"`
	Capacity     corev1.ResourceList `json:"capacity"`
	Overhead     *overhead           `json:"overhead"`
	Offerings    []offering          `json:"offerings"`
	VolumeLimits map[string]int      `json:"volumeAttachmentLimits"`
	Devices      *typeDevices        `json:"dynamicResources"`
}

type offering struct {
	Zone                *string             `json:"zone"`
	CapacityType        *string             `json:"capacityType"`
	ReservationID       string              `json:"reservationID"`
	Labels              map[string][]string `json:"labels"`
	Requirements        []requirement       `json:"requirements"`
	Price               float64             `json:"price"`
	Available           *bool               `json:"available"`
	ReservationCapacity int                 `json:"reservationCapacity"`
	CapacityOverride    corev1.ResourceList `json:"capacityOverride"`
	OverheadOverride    *overhead           `json:"overheadOverride"`
}

type requirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
}

type overhead struct {
	KubeReserved      corev1.ResourceList `json:"kubeReserved"`
	SystemReserved    corev1.ResourceList `json:"systemReserved"`
	EvictionThreshold corev1.ResourceList `json:"evictionThreshold"`
}

// snapshot is a document with its objects decoded and its catalogues read.
type snapshot struct {
	document
	objects    []client.Object
	catalogues []catalogue
}

type catalogue struct {
	pools []string // none: all
	types []typeEntry
}

// notCovered says why Karpenter cannot be asked about a world. That is no difference.
type notCovered string

func (e notCovered) Error() string { return string(e) }

// read decodes a Snapshot; paths of catalogues are relative to base.
func read(text []byte, base string) (*snapshot, error) {
	s := &snapshot{}
	if err := json.Unmarshal(text, &s.document); err != nil {
		return nil, err
	}
	if err := s.covered(); err != nil {
		return nil, err
	}
	for _, raw := range s.Objects {
		decoded, _, err := scheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("%w: %.200s", err, raw)
		}
		object := decoded.(client.Object)
		if err := possible(object); err != nil {
			return nil, err
		}
		complete(object)
		s.objects = append(s.objects, object)
	}
	for _, c := range s.document.Catalogues {
		types := c.InstanceTypes
		if c.Path != "" {
			more, err := readTypes(filepath.Join(base, c.Path))
			if err != nil {
				return nil, err
			}
			types = append(slices.Clone(types), more...)
		}
		s.catalogues = append(s.catalogues, catalogue{c.NodePools, written(types, s.document.Labels.ReservationID)})
	}
	return s, nil
}

var typeFiles = map[string][]typeEntry{} // many worlds name the same few files

func readTypes(path string) ([]typeEntry, error) {
	if types, ok := typeFiles[path]; ok {
		return types, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var types []typeEntry
	if err := json.Unmarshal(text, &types); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	typeFiles[path] = types
	return types, nil
}

// covered refuses what controllers that do not run here would do.
func (d *document) covered() error {
	switch {
	case d.allocatesDevices() && !devicesCovered:
		return notCovered("devices")
	case d.Settings.FeatureGates["NodeOverlay"], d.Settings.FeatureGates["CapacityBuffer"]:
		return notCovered("overlays and buffers are applied by controllers that do not run here")
	}
	return nil
}

// possible refuses what no cluster holds and Karpenter takes for something else than Kubernetes does.
func possible(object client.Object) error {
	if pool, ok := object.(*v1.NodePool); ok && pool.Spec.Template.Spec.NodeClassRef == nil {
		return notCovered("a pool without a class")
	}
	return nil
}

// complete adds what an API server would: the namespace, requests where only limits are stated, and how many devices are requested.
func complete(object client.Object) {
	if object.GetNamespace() == "" && !isClusterScoped(object) {
		object.SetNamespace(corev1.NamespaceDefault)
	}
	switch o := object.(type) {
	case *resourcev1.ResourceClaim:
		completeClaim(&o.Spec.Devices)
	case *corev1.Pod:
		completePod(o)
	}
}

func completePod(pod *corev1.Pod) {
	for _, list := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range list {
			r := &list[i].Resources
			for name, limit := range r.Limits {
				if r.Requests == nil {
					r.Requests = corev1.ResourceList{}
				}
				if _, ok := r.Requests[name]; !ok {
					r.Requests[name] = limit
				}
			}
		}
	}
	completeWhole(&pod.Spec)
}

// completeWhole takes the limits of a whole pod for its requests, unless containers ask themselves. Of huge pages, which cannot
// be promised twice, it always does.
func completeWhole(spec *corev1.PodSpec) {
	if spec.Resources == nil {
		return
	}
	asked := map[corev1.ResourceName]bool{}
	for _, list := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range list {
			for name := range list[i].Resources.Requests {
				asked[name] = !strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
			}
		}
	}
	for name, limit := range spec.Resources.Limits {
		if spec.Resources.Requests == nil {
			spec.Resources.Requests = corev1.ResourceList{}
		}
		if _, ok := spec.Resources.Requests[name]; !ok && !asked[name] {
			spec.Resources.Requests[name] = limit
		}
	}
}

func ofType[T client.Object](s *snapshot) []T {
	var out []T
	for _, o := range s.objects {
		if t, ok := o.(T); ok {
			out = append(out, t)
		}
	}
	return out
}

func (s *snapshot) pools() []*v1.NodePool { return ofType[*v1.NodePool](s) }
