// SPDX-License-Identifier: Apache-2.0

// Cluster-autoscaler's own client and chain of expanders, asked what TestAnswers asks ours, and karp-expander through them.
// tests/peer-ca/test_chain.py lays this file over a checkout; CA_PACKAGES stands for where its packages are.
package grpcplugin_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"CA_PACKAGES/cloudprovider"
	"CA_PACKAGES/expander"
	"CA_PACKAGES/expander/factory"
	"CA_PACKAGES/expander/grpcplugin"
	"CA_PACKAGES/simulator/framework"
)

func good(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// certificate writes one that signs itself.
func certificate(t *testing.T) (cert, key string) {
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	good(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	good(t, err)
	encoded, err := x509.MarshalECPrivateKey(secret)
	good(t, err)
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	good(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	good(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: encoded}), 0o600))
	return cert, key
}

type nodeGroup struct {
	cloudprovider.NodeGroup
	id string
}

func (g *nodeGroup) Id() string { return g.id }

func pod(name, cpu string) *v1.Pod {
	requests := v1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse("512Mi")}
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{Requests: requests}}}}}
}

func node(id string, cpu int64) *v1.Node {
	has := v1.ResourceList{"cpu": *resource.NewQuantity(cpu, resource.DecimalSI), "memory": *resource.NewQuantity(cpu<<32, resource.BinarySI),
		"pods": *resource.NewQuantity(110, resource.DecimalSI)}
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "template-" + id, Labels: map[string]string{"kubernetes.io/arch": "amd64",
		"kubernetes.io/os": "linux", "topology.kubernetes.io/zone": "a"}}, Status: v1.NodeStatus{Capacity: has, Allocatable: has}}
}

// three groups of 4, 8 and 16 cores; every pod fits each.
func three(pods int) ([]expander.Option, map[string]*framework.NodeInfo) {
	var all []*v1.Pod
	for i := range pods {
		all = append(all, pod(fmt.Sprintf("web-%d", i), "1"))
	}
	var options []expander.Option
	templates := map[string]*framework.NodeInfo{}
	for i, id := range []string{"one", "two", "three"} {
		cpu := 4 << i
		templates[id] = framework.NewNodeInfo(node(id, int64(cpu)), nil)
		options = append(options, expander.Option{NodeGroup: &nodeGroup{id: id}, NodeCount: (pods + cpu - 1) / cpu, Debug: id, Pods: all})
	}
	return options, templates
}

func ids(options []expander.Option) []string {
	out := []string{}
	for _, o := range options {
		out = append(out, fmt.Sprintf("%s/%d", o.NodeGroup.Id(), o.NodeCount))
	}
	return out
}

// plainCodec leaves messages as they are.
type plainCodec struct{}

func (plainCodec) Name() string                  { return "proto" }
func (plainCodec) Marshal(v any) ([]byte, error) { return v.([]byte), nil }
func (plainCodec) Unmarshal(message []byte, v any) error {
	*v.(*[]byte) = message
	return nil
}

// scripted serves one answer.
func scripted(t *testing.T, cert, key string, answer func(context.Context) ([]byte, error)) string {
	trust, err := credentials.NewServerTLSFromFile(cert, key)
	good(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	good(t, err)
	server := grpc.NewServer(grpc.Creds(trust), grpc.ForceServerCodec(plainCodec{}))
	server.RegisterService(&grpc.ServiceDesc{ServiceName: "grpcplugin.Expander", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{
		MethodName: "BestOptions", Handler: func(_ any, ctx context.Context, receive func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			var message []byte
			if err := receive(&message); err != nil {
				return nil, err
			}
			return answer(ctx)
		}}}}, struct{}{})
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

func option(id string) string { return fmt.Sprintf("\x0a%c\x0a%c%s", len(id)+2, len(id), id) }

func chainOf(t *testing.T, filter expander.Filter) expander.Strategy {
	makers := factory.NewFactory()
	makers.RegisterFilter("grpc", func() expander.Filter { return filter })
	chain, err := makers.Build([]string{"grpc"})
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

func TestKarpAnswers(t *testing.T) {
	cert, key := certificate(t)
	options, templates := three(2)
	all := []string{"one/1", "two/1", "three/1"}
	for _, row := range []struct {
		name, response string
		err            error
		slow           bool
		kept           []string
	}{
		{name: "a known id", response: option("two"), kept: []string{"two/1"}},
		{name: "several", response: option("three") + option("two"), kept: []string{"three/1", "two/1"}},
		{name: "the same twice", response: option("two") + option("two"), kept: []string{"two/1", "two/1"}},
		{name: "another count of nodes", response: "\x0a\x07\x0a\x03two\x10\x63", kept: []string{"two/1"}},
		{name: "unknown alone", response: option("none"), kept: all},
		{name: "an error", err: status.Error(codes.Internal, "no"), kept: all},
		{name: "too late", slow: true, kept: all},
		{name: "nothing", kept: []string{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			address := scripted(t, cert, key, func(ctx context.Context) ([]byte, error) {
				if row.slow {
					<-ctx.Done()
				}
				return []byte(row.response), row.err
			})
			filter := grpcplugin.NewFilter(cert, address)
			if kept := ids(filter.BestOptions(options, templates)); !slices.Equal(kept, row.kept) {
				t.Fatalf("%v, wanted %v", kept, row.kept)
			}
			if row.slow { // it would wait once more
				return
			}
			best := chainOf(t, filter).BestOption(options, templates)
			switch {
			case best == nil:
				if len(row.kept) > 0 {
					t.Fatal("the chain has no option")
				}
			case !slices.Contains(row.kept, ids([]expander.Option{*best})[0]):
				t.Fatal("the chain takes", ids([]expander.Option{*best}))
			}
		})
	}
}

// karpExpander starts the program and yields its address.
func karpExpander(t *testing.T, cert, key string) string {
	program := exec.Command(os.Getenv("KARP_EXPANDER"), "--listen", "127.0.0.1:0", "--web", "", "--explain", "--cert", cert, "--key", key)
	log, err := program.StderrPipe()
	good(t, err)
	good(t, program.Start())
	t.Cleanup(func() {
		program.Process.Kill()
		program.Wait()
	})
	found := make(chan string, 1)
	go func() {
		address := regexp.MustCompile(`grpcplugin.Expander" address=(\S+)`)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			fmt.Println(lines.Text())
			if match := address.FindStringSubmatch(lines.Text()); match != nil {
				found <- match[1]
			}
		}
	}()
	select {
	case address := <-found:
		return address
	case <-time.After(30 * time.Second):
		t.Fatal("karp-expander does not start")
		return ""
	}
}

// The program itself, small and beyond gRPC's own limit of 4 MiB: one option of the client's, every time the same.
func TestKarpExpander(t *testing.T) {
	cert, key := certificate(t)
	filter := grpcplugin.NewFilter(cert, karpExpander(t, cert, key))
	chain := chainOf(t, filter)
	for _, pods := range []int{1, 4, 16, 20_000} {
		options, templates := three(pods)
		want := ids(options[:1]) // nodes cost what their resources do: of equals per pod the smallest is asked first
		for range 2 {
			if kept := ids(filter.BestOptions(options, templates)); !slices.Equal(kept, want) {
				t.Fatalf("%d pods: %v, wanted %v", pods, kept, want)
			}
			best := chain.BestOption(options, templates)
			if best == nil || best.NodeGroup.Id() != "one" || len(best.Pods) != pods {
				t.Fatalf("%d pods: the chain takes %v", pods, best)
			}
		}
	}
	options, templates := three(2)
	delete(templates, "two") // refused: the client keeps all, and the program goes on
	if kept := filter.BestOptions(options, templates); len(kept) != 3 {
		t.Fatal(ids(kept))
	}
	options, templates = three(2)
	if kept := filter.BestOptions(options, templates); len(kept) != 1 {
		t.Fatal(ids(kept))
	}
}
