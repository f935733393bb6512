// SPDX-License-Identifier: Apache-2.0

// Times cluster-autoscaler's bin packing and kube-scheduler's scheduling cycle on Snapshot documents, in process, one worker:
//
//	kube estimate SNAPSHOT     each instance type a node group, all pods estimated for each of them
//	kube schedule SNAPSHOT     every pending pod, one after the other, on the nodes of the document
//
// One line of JSON: what was decided, and seconds of processor time.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

type requirement struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
}

type instanceType struct {
	Name         string                         `json:"name"`
	Requirements []requirement                  `json:"requirements"`
	Capacity     corev1.ResourceList            `json:"capacity"`
	Overhead     map[string]corev1.ResourceList `json:"overhead"`
	Offerings    []struct {
		Requirements []requirement `json:"requirements"`
		Price        float64       `json:"price"`
		Available    bool          `json:"available"`
	} `json:"offerings"`
}

// A world is a document, as far as these inputs use one.
type world struct {
	types          []instanceType
	nodes          []*corev1.Node
	pending, bound []*corev1.Pod
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

func readWorld(path string) (*world, error) {
	var document struct {
		Catalogues []struct {
			Path          string         `json:"path"`
			InstanceTypes []instanceType `json:"instanceTypes"`
		} `json:"catalogues"`
		Objects []json.RawMessage `json:"objects"`
	}
	if err := readJSON(path, &document); err != nil {
		return nil, err
	}
	w := &world{}
	for _, c := range document.Catalogues {
		if c.Path != "" {
			if err := readJSON(filepath.Join(filepath.Dir(path), c.Path), &c.InstanceTypes); err != nil {
				return nil, err
			}
		}
		w.types = append(w.types, c.InstanceTypes...)
	}
	for _, raw := range document.Objects {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
		if err != nil {
			continue // a kind of Karpenter's, which neither of the two reads
		}
		switch o := object.(type) {
		case *corev1.Node:
			w.nodes = append(w.nodes, o)
		case *corev1.Pod:
			if o.Spec.SchedulerName == "" {
				o.Spec.SchedulerName = corev1.DefaultSchedulerName
			}
			if o.Spec.NodeName == "" {
				w.pending = append(w.pending, o)
			} else {
				w.bound = append(w.bound, o)
			}
		}
	}
	return w, nil
}

// processor is the time all threads of this process have used, the garbage collector's among them.
func processor() float64 {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano()).Seconds()
}

func main() {
	ways := map[string]func(*world) (any, error){"estimate": estimate, "schedule": schedule}
	if len(os.Args) != 3 || ways[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: kube estimate|schedule SNAPSHOT")
		os.Exit(2)
	}
	w, err := readWorld(os.Args[2])
	if err == nil {
		var out any
		if out, err = ways[os.Args[1]](w); err == nil {
			err = json.NewEncoder(os.Stdout).Encode(out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
