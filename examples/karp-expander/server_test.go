// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	v1 "k8s.io/api/core/v1"
)

func recorded(t testing.TB) []byte {
	t.Helper()
	message, err := os.ReadFile("testdata/bestoptions-4x6.bin")
	good(t, err)
	return message
}

// The request that cluster-autoscaler's own client once made, byte for byte.
func TestRecorded(t *testing.T) {
	w := serve(t, maxRequest)
	c := w.client(t)
	for range 3 {
		ids, err := c.ask(recorded(t))
		good(t, err)
		if !slices.Equal(ids, []string{"g000"}) {
			t.Fatal(ids)
		}
	}
	w.metric(t, "karp_expander_answers_total", "3")
	w.metric(t, "karp_expander_pods_total", "18")
	w.metric(t, "karp_expander_planned_pods_total", "18")
	w.metric(t, "karp_expander_request_bytes_total", "41409")
	w.metric(t, "karp_expander_unknown_fields_total", "0")
	w.metric(t, "karp_expander_decision_seconds_count", "3")
	for why := range reasonCodes {
		w.errors(t, why, "0")
	}
	for _, said := range []string{"msg=answered group=g000 takes=6 planned=6 pods=6 groups=4", `because="it takes 6 of the 6 pods`,
		"place=2 group=g001 takes=0", "price_of=resources"} {
		if !strings.Contains(w.log.String(), said) {
			t.Errorf("the log is without %q:\n%s", said, w.log)
		}
	}
}

// three groups of one kind and their pods, as a client has them.
func three(t testing.TB) ([]offered, map[string]*v1.Node) {
	pods := []*v1.Pod{podOf(t, "a", "1", "1Gi"), podOf(t, "b", "1", "1Gi")}
	templates := map[string]*v1.Node{}
	options := []offered{}
	for i, id := range []string{"one", "two", "three"} {
		templates[id] = nodeOf(t, id, fmt.Sprint(4+i), "8Gi", nil)
		options = append(options, offered{id, int32(i + 1), pods})
	}
	return options, templates
}

func ids(options []offered) []string {
	out := []string{}
	for _, o := range options {
		out = append(out, fmt.Sprintf("%s/%d", o.group, o.nodes))
	}
	return out
}

func answer(ids ...string) []byte {
	out := []byte{}
	for _, id := range ids {
		out = append(out, writeResponse(id)...)
	}
	return out
}

// What cluster-autoscaler does with answers. This server gives the first kind alone, and errors.
var answers = []struct {
	name     string
	response []byte
	err      error
	slow     bool
	kept     []string
}{
	{name: "a known id", response: answer("two"), kept: []string{"two/2"}},
	{name: "several", response: answer("three", "two"), kept: []string{"three/3", "two/2"}},
	{name: "the same twice", response: answer("two", "two"), kept: []string{"two/2", "two/2"}},
	{name: "known and unknown", response: answer("none", "two"), kept: []string{"two/2"}},
	{name: "another count of nodes", response: []byte("\x0a\x07\x0a\x03two\x10\x63"), kept: []string{"two/2"}},
	{name: "unknown alone", response: answer("none"), kept: []string{"one/1", "two/2", "three/3"}},
	{name: "an error", err: status.Error(codes.Internal, "no"), kept: []string{"one/1", "two/2", "three/3"}},
	{name: "too late", slow: true, kept: []string{"one/1", "two/2", "three/3"}},
	{name: "nothing", response: []byte{}, kept: []string{}},
}

func TestAnswers(t *testing.T) {
	w := serve(t, maxRequest)
	options, templates := three(t)
	for _, row := range answers {
		t.Run(row.name, func(t *testing.T) {
			trust, err := credentials.NewServerTLSFromFile(w.certFile, w.keyFile)
			good(t, err)
			server := grpc.NewServer(grpc.Creds(trust), grpc.ForceServerCodec(plainCodec{}))
			server.RegisterService(&grpc.ServiceDesc{ServiceName: "grpcplugin.Expander", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{
				MethodName: "BestOptions", Handler: func(_ any, ctx context.Context, receive func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
					if row.slow {
						<-ctx.Done()
					}
					return row.response, row.err
				}}}}, struct{}{})
			c := dial(t, listen(t, server), w.certFile)
			if row.slow {
				c.deadline = 50 * time.Millisecond
			}
			if kept := ids(c.filter(t, options, templates)); !slices.Equal(kept, row.kept) {
				t.Fatalf("%v, wanted %v", kept, row.kept)
			}
		})
	}
	kept := ids(w.client(t).filter(t, options, templates))
	if !slices.Equal(kept, []string{"one/1"}) {
		t.Fatal("the server itself:", kept)
	}
}

// Bad input is an error to the client, counted by its reason; the next request is served.
func TestBadInput(t *testing.T) {
	const limit = 64 << 10
	w := serve(t, limit)
	c := w.client(t)
	message := recorded(t)
	options, templates := three(t)
	change := func(what func(options []offered, templates map[string]*v1.Node) []offered) []byte {
		own := slices.Clone(options)
		nodes := map[string]*v1.Node{}
		for id, node := range templates {
			nodes[id] = node
		}
		return encodeRequest(t, what(own, nodes), nodes)
	}
	raw := func(group string, pods ...[]byte) []byte {
		inner := appendBytes(nil, optionGroup, []byte(group))
		for _, pod := range pods {
			inner = appendBytes(inner, optionPods, pod)
		}
		return appendBytes(change(func([]offered, map[string]*v1.Node) []offered { return nil }), requestOptions, inner)
	}
	rows := []struct {
		name    string
		message []byte
		why     reason
		code    codes.Code
	}{
		{"cut off", message[:len(message)-1], reasonMalformed, codes.InvalidArgument},
		{"not protobuf", []byte("\xff\xff\xff\xff"), reasonMalformed, codes.InvalidArgument},
		{"a length beyond the message", []byte("\x0a\xff\xff\xff\xff\x0f"), reasonMalformed, codes.InvalidArgument},
		{"an id that is no text", raw("\xc3\x28", marshal(t, options[0].pods[0])), reasonMalformed, codes.InvalidArgument},
		{"nothing", nil, reasonEmpty, codes.InvalidArgument},
		{"no options", change(func([]offered, map[string]*v1.Node) []offered { return nil }), reasonEmpty, codes.InvalidArgument},
		{"no pods", change(func([]offered, map[string]*v1.Node) []offered { return []offered{{"one", 1, nil}} }), reasonEmpty, codes.InvalidArgument},
		{"no id", raw("", marshal(t, options[0].pods[0])), reasonGroup, codes.InvalidArgument},
		{"a group twice", change(func(o []offered, _ map[string]*v1.Node) []offered { return append(o, o[0]) }), reasonGroup, codes.InvalidArgument},
		{"a pod of one byte", raw("one", []byte("\x0a")), reasonPod, codes.InvalidArgument},
		{"an empty pod", raw("one", nil), reasonPod, codes.InvalidArgument},
		{"a pod without a name", raw("one", marshal(t, podOf(t, "", "1", "1Gi"))), reasonPod, codes.InvalidArgument},
		{"two pods of one name", raw("one", marshal(t, podOf(t, "a", "1", "1Gi")), marshal(t, podOf(t, "a", "2", "1Gi"))), reasonPod, codes.InvalidArgument},
		{"no template", change(func(o []offered, n map[string]*v1.Node) []offered { delete(n, "two"); return o }), reasonTemplate, codes.InvalidArgument},
		{"a template that is none", appendBytes(change(func(o []offered, n map[string]*v1.Node) []offered { return o }), requestTemplates,
			appendBytes(appendBytes(nil, entryKey, []byte("one")), entryValue, []byte("\x0a"))), reasonTemplate, codes.InvalidArgument},
		{"beyond the limit", make([]byte, limit+1), reasonTooLarge, codes.ResourceExhausted},
	}
	counts := map[reason]int{}
	for _, row := range rows {
		_, err := c.ask(row.message)
		if status.Code(err) != row.code {
			t.Errorf("%s: %v, wanted %v", row.name, err, row.code)
			continue
		}
		if row.why != reasonTooLarge && !strings.HasPrefix(status.Convert(err).Message(), string(row.why)+": ") {
			t.Errorf("%s: %v, wanted the reason %v", row.name, err, row.why)
		}
		counts[row.why]++
		w.errors(t, row.why, fmt.Sprint(counts[row.why]))
		if ids, err := c.ask(message); err != nil || !slices.Equal(ids, []string{"g000"}) {
			t.Fatal("afterwards: ", ids, err)
		}
	}
	w.metric(t, "karp_expander_answers_total", fmt.Sprint(len(rows)))
	if err := c.conn.Invoke(context.Background(), "/grpcplugin.Expander/Worst", []byte{}, new([]byte)); status.Code(err) != codes.Unimplemented {
		t.Error("another method:", err)
	}
	w.errors(t, reasonTransport, "1")
}

// A client that has given up is counted, too, wherever the decision was.
func TestDeadline(t *testing.T) {
	w := serve(t, maxRequest)
	message := sized(t, 2, 20_000)
	ended, cancel := context.WithTimeout(context.Background(), -1)
	defer cancel()
	if _, err := w.answer(ended, message); status.Code(err) != codes.DeadlineExceeded {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.answer(gone, message); status.Code(err) != codes.Canceled {
		t.Fatal(err)
	}
	w.errors(t, reasonDeadline, "1")
	w.errors(t, reasonCanceled, "1")
}

// A logger with a defect.
type defective struct{ slog.Handler }

func (d defective) Handle(ctx context.Context, record slog.Record) error {
	if record.Message == "answered" {
		panic("here")
	}
	return d.Handler.Handle(ctx, record)
}

// A defect ends its request alone.
func TestDefect(t *testing.T) {
	w := serve(t, maxRequest)
	w.expander.log = slog.New(defective{w.expander.log.Handler()})
	c := w.client(t)
	for range 2 {
		if _, err := c.ask(recorded(t)); status.Code(err) != codes.Internal || !strings.Contains(err.Error(), "internal: a defect: here") {
			t.Fatal(err)
		}
	}
	w.errors(t, reasonInternal, "2")
	if !strings.Contains(w.log.String(), "defective.Handle") {
		t.Error("the log does not say where:", w.log)
	}
}

// Larger than gRPC's own limit of 4 MiB, and as large as a large cluster makes them.
func TestLarge(t *testing.T) {
	w := serve(t, maxRequest)
	c := w.client(t)
	for _, size := range [][2]int{{10, 1000}, {10, 10_000}} {
		message := sized(t, size[0], size[1])
		ids, err := c.ask(message)
		good(t, err)
		if len(message) < 4<<20 || len(ids) != 1 {
			t.Fatal(len(message), ids)
		}
	}
	w.metric(t, "karp_expander_pods_total", "11000")
	// As many groups as may be, each for itself.
	ids, err := c.ask(apart(t, maxGroups))
	good(t, err)
	if len(ids) != 1 || ids[0] != "g0000" { // the smallest node has the lowest price, then the first name
		t.Fatal(ids)
	}
	w.metric(t, "karp_expander_pods_total", fmt.Sprint(11_000+maxGroups))
}

// What the client demands of TLS: a certificate that the authority's file vouches for, with the name of the server; no more.
func TestTls(t *testing.T) {
	w := serve(t, maxRequest)
	pem, err := os.ReadFile(w.certFile)
	good(t, err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	_, err = dialWith(t, w.address, credentials.NewTLS(&tls.Config{RootCAs: pool, ServerName: "localhost"})).ask(recorded(t))
	good(t, err)
	w.errors(t, reasonHandshake, "0")
	for name, trust := range map[string]credentials.TransportCredentials{
		"plain text":        insecure.NewCredentials(),
		"another name":      credentials.NewTLS(&tls.Config{RootCAs: pool, ServerName: "elsewhere"}),
		"another authority": credentials.NewTLS(&tls.Config{RootCAs: x509.NewCertPool(), ServerName: "localhost"}),
		"TLS 1.1":           credentials.NewTLS(&tls.Config{RootCAs: pool, ServerName: "localhost", MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}),
	} {
		if _, err := dialWith(t, w.address, trust).ask(recorded(t)); status.Code(err) != codes.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	for range 6000 { // the server hears of it later than the client, and of every attempt
		if w.metrics.count(reasonHandshake) >= 4 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("handshakes that fail are not counted:", w.log)
}

// A certificate that changes is taken up by the next connection; one that is no good is counted.
func TestReload(t *testing.T) {
	w := serve(t, maxRequest)
	serial := func() int64 {
		conn, err := tls.Dial("tcp", w.address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
		good(t, err)
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	old := w.client(t)
	_, err := old.ask(recorded(t))
	good(t, err)
	pair(t, w.certFile, w.keyFile, 2, time.Now().Add(time.Hour), "127.0.0.1")
	if serial() != 2 {
		t.Fatal("the new certificate is not in use")
	}
	w.metric(t, "karp_expander_certificate_reloads_total", "1")
	_, err = old.ask(recorded(t)) // connections go on
	good(t, err)
	_, err = w.client(t).ask(recorded(t))
	good(t, err)

	good(t, os.WriteFile(w.keyFile, []byte("half a key"), 0o600))
	if serial() != 2 {
		t.Fatal("the certificate before is not in use")
	}
	w.metric(t, "karp_expander_certificate_failures_total", "1")
	pair(t, w.certFile, w.keyFile, 3, time.Now().Add(time.Hour)) // without a name
	if serial() != 2 {
		t.Fatal("a certificate without a name is in use")
	}
	if code, body := w.page(t, "/healthz"); code != 200 || body != "ok\n" {
		t.Fatal(code, body)
	}
	pair(t, w.certFile, w.keyFile, 4, time.Now().Add(-time.Minute), "127.0.0.1")
	if code, body := w.page(t, "/healthz"); code != 503 || !strings.Contains(body, "the certificate ended at ") {
		t.Fatal(code, body)
	}
	good(t, os.Remove(w.certFile))
	if serial() != 4 {
		t.Fatal("files that are gone took the certificate with them")
	}
	if _, err := readCertificate(filepath.Join(t.TempDir(), "none"), w.keyFile, w.expander.log); err == nil {
		t.Fatal("a certificate out of nothing")
	}
}
