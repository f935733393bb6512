// SPDX-License-Identifier: Apache-2.0

// scheduler asks kube-scheduler itself, with its gates for groups of pods on, where it binds the pending pods of a cluster: a List of
// objects as a line in, {"bound": {pod: node}} as a line out. ask.py uses it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes/fake"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	corev1defaults "k8s.io/kubernetes/pkg/apis/core/v1"
	_ "k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

const gates = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true"

// answer is a line of output: by pod, its node.
type answer struct {
	Bound map[string]string `json:"bound"`
}

// question is a line of input. Nothing is tried any more when the scheduler is found idle so many times in a row.
type question struct {
	Items []json.RawMessage `json:"items"`
	Looks int               `json:"looks"`
}

// read decodes the objects of a question, with the defaults of the API server.
func read(list question) ([]runtime.Object, error) {
	objects := []runtime.Object{&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}}
	for i, raw := range list.Items {
		object, _, err := clientscheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("object %d: %w", i, err)
		}
		meta := object.(metav1.Object)
		if meta.GetUID() == "" {
			meta.SetUID(types.UID(fmt.Sprintf("u-%d", i)))
		}
		switch o := object.(type) {
		case *v1.Node:
			corev1defaults.SetObjectDefaults_Node(o)
		case *v1.Pod:
			corev1defaults.SetObjectDefaults_Pod(o)
			if o.Spec.Priority == nil {
				o.Spec.Priority = new(int32)
			}
			o.Namespace = "default"
		default:
			meta.SetNamespace("default")
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// world is one scheduler with the cluster that it sees.
type world struct {
	sched *scheduler.Scheduler
	mutex sync.Mutex
	bound map[string]string
}

func (w *world) count() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return len(w.bound)
}

// bind keeps a binding, and shows the pod on its node to whoever watches it.
func (w *world) bind(client *fake.Clientset) clienttesting.ReactionFunc {
	return func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "binding" {
			return false, nil, nil
		}
		binding := action.(clienttesting.CreateAction).GetObject().(*v1.Binding)
		resource := v1.SchemeGroupVersion.WithResource("pods")
		found, err := client.Tracker().Get(resource, binding.Namespace, binding.Name)
		if err != nil {
			return true, nil, err
		}
		pod := found.(*v1.Pod).DeepCopy()
		pod.Spec.NodeName = binding.Target.Name
		if err := client.Tracker().Update(resource, pod, pod.Namespace); err != nil {
			return true, nil, err
		}
		w.mutex.Lock()
		w.bound[pod.Name] = pod.Spec.NodeName
		w.mutex.Unlock()
		return true, binding, nil
	}
}

// settle waits until nothing is tried any more, apart from what waits for its next attempt.
func (w *world) settle(ctx context.Context, looks int) error {
	for quiet, before := 0, -1; quiet < looks; {
		if err := ctx.Err(); err != nil {
			return err
		}
		now, queue := w.count(), w.sched.SchedulingQueue
		if len(queue.PodsInActiveQ()) == 0 && len(queue.InFlightPods()) == 0 && now == before {
			quiet++
		} else {
			quiet = 0
		}
		before = now
		time.Sleep(15 * time.Millisecond)
	}
	return nil
}

func ask(objects []runtime.Object, looks int) (*answer, error) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	w := &world{bound: map[string]string{}}
	client := fake.NewClientset(objects...)
	client.PrependReactor("create", "pods", w.bind(client))
	factory := scheduler.NewInformerFactory(client, 0, nil)
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	every := int32(100)
	sched, err := scheduler.New(ctx, client, factory, nil, profile.NewRecorderFactory(broadcaster),
		scheduler.WithPercentageOfNodesToScore(&every), scheduler.WithParallelism(1))
	if err != nil {
		return nil, err
	}
	w.sched = sched
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if err := sched.WaitForHandlersSync(ctx); err != nil {
		return nil, err
	}
	go sched.Run(ctx)
	if err := w.settle(ctx, looks); err != nil {
		return nil, err
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return &answer{Bound: w.bound}, nil
}

// list lists what the fake API server has by name, as etcd does: it would be in the order of a Go map.
func list(objects []runtime.Object) {
	sort.SliceStable(objects, func(i, j int) bool {
		return objects[i].(metav1.Object).GetName() < objects[j].(metav1.Object).GetName()
	})
}

func run() error {
	if err := utilfeature.DefaultMutableFeatureGate.Set(gates); err != nil {
		return err
	}
	in, out := bufio.NewReaderSize(os.Stdin, 1<<20), json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF && len(strings.TrimSpace(string(line))) == 0 {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		asked := question{Looks: 4}
		if err := json.Unmarshal(line, &asked); err != nil {
			return err
		}
		objects, err := read(asked)
		if err != nil {
			return err
		}
		list(objects)
		got, err := ask(objects, asked.Looks)
		if err != nil {
			return err
		}
		if err := out.Encode(got); err != nil {
			return err
		}
	}
}

func main() {
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "scheduler:", err)
		os.Exit(1)
	}
}
