// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// crds is the folder of Kueue's own CustomResourceDefinitions.
func crds(t *testing.T) string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kueue").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "config", "components", "crd", "bases")
}

// poolDefinition serves NodePools of any content.
func poolDefinition() *apiextensions.CustomResourceDefinition {
	keep := true
	return &apiextensions.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "nodepools.karpenter.sh"},
		Spec: apiextensions.CustomResourceDefinitionSpec{Group: nodePool.Group, Scope: apiextensions.ClusterScoped,
			Names: apiextensions.CustomResourceDefinitionNames{Kind: "NodePool", ListKind: "NodePoolList", Plural: "nodepools", Singular: "nodepool"},
			Versions: []apiextensions.CustomResourceDefinitionVersion{{Name: nodePool.Version, Served: true, Storage: true,
				Schema: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &apiextensions.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &keep}}}}}}
}

// create creates the object with its status, as its controllers would have left it.
func create(t *testing.T, kube client.Client, object client.Object) {
	wanted := object.DeepCopyObject().(client.Object)
	if err := kube.Create(context.Background(), object); err != nil {
		t.Fatal(err)
	}
	switch o := object.(type) {
	case *v1.Node:
		o.Status = wanted.(*v1.Node).Status
	case *kueue.Workload:
		o.Status = wanted.(*kueue.Workload).Status
		for i := range o.Status.Conditions {
			o.Status.Conditions[i].LastTransitionTime = metav1.Now()
		}
		for i := range o.Status.AdmissionChecks {
			o.Status.AdmissionChecks[i].LastTransitionTime = metav1.Now()
		}
		o.Status.Admission.ClusterQueue = "queue"
	default:
		return
	}
	if err := kube.Status().Update(context.Background(), object); err != nil {
		t.Fatal(err)
	}
}

// TestServer runs the controller with a manager against kube-apiserver and etcd, which are in $KUBEBUILDER_ASSETS. They listen on ports that
// are free.
func TestServer(t *testing.T) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Skip("KUBEBUILDER_ASSETS does not name a folder with etcd and kube-apiserver")
	}
	environment := &envtest.Environment{CRDDirectoryPaths: []string{crds(t)}, ErrorIfCRDPathMissing: true,
		CRDs: []*apiextensions.CustomResourceDefinition{poolDefinition()}}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = environment.Stop() })
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1.AddToScheme, kueue.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme, Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	check := &Check{Client: manager.GetClient(), Region: "us-west-2", Cluster: []schema.GroupVersionKind{nodePool}, Boot: 2 * time.Minute, Now: time.Now}
	if err := check.SetupWithManager(manager); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	go func() { _ = manager.Start(ctx) }()
	kube, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]kueue.CheckState{"report": kueue.CheckStateReady, "train-small": kueue.CheckStateReady, "train-large": kueue.CheckStateRetry}
	for _, object := range []client.Object{node("static-1"), pool(t), workload("report", 3, "", amounts("2", "")),
		workload("train-small", 2, "", amounts("2", "1")), workload("train-large", 8, "", amounts("2", "1")), ours("room", ControllerName)} {
		create(t, kube, object)
	}
	deadline := time.After(time.Minute)
	for name, state := range wanted {
		w := &kueue.Workload{}
		for w.Status.AdmissionChecks == nil || w.Status.AdmissionChecks[0].State == kueue.CheckStatePending {
			select {
			case <-deadline:
				t.Fatalf("%s has no answer", name)
			case <-time.After(100 * time.Millisecond):
			}
			if err := kube.Get(ctx, client.ObjectKey{Namespace: "default", Name: name}, w); err != nil {
				t.Fatal(err)
			}
		}
		if got := w.Status.AdmissionChecks[0]; got.State != state || got.Message == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	active := &kueue.AdmissionCheck{}
	if err := kube.Get(ctx, client.ObjectKey{Name: "room"}, active); err != nil {
		t.Fatal(err)
	}
	if !meta.IsStatusConditionTrue(active.Status.Conditions, kueue.AdmissionCheckActive) {
		t.Errorf("%+v", active.Status)
	}
}
