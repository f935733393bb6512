// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
)

// A world is a server under test with its certificate, its pages and its log.
type world struct {
	*expander
	address           string
	certFile, keyFile string
	pages             *httptest.Server
	log               *sharedBuffer
}

type sharedBuffer struct {
	lock   sync.Mutex
	buffer bytes.Buffer
}

func (b *sharedBuffer) Write(p []byte) (int, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.buffer.Write(p)
}

func (b *sharedBuffer) String() string {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.buffer.String()
}

// pair writes a certificate that signs itself, for these names, and its key.
func pair(t testing.TB, certFile, keyFile string, serial int64, ends time.Time, names ...string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	good(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "karp-expander"},
		NotBefore: ends.Add(-48 * time.Hour), NotAfter: ends, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	good(t, err)
	secret, err := x509.MarshalECPrivateKey(key)
	good(t, err)
	good(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	good(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}), 0o600))
}

func good(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// serve starts a server on a port of its own.
func serve(t testing.TB, limit int) *world {
	t.Helper()
	return serveWith(t, limit, 8)
}

func serveWith(t testing.TB, limit, requests int, authorities ...string) *world {
	t.Helper()
	folder := t.TempDir()
	w := &world{certFile: filepath.Join(folder, "cert.pem"), keyFile: filepath.Join(folder, "key.pem"), log: &sharedBuffer{}}
	pair(t, w.certFile, w.keyFile, 1, time.Now().Add(24*time.Hour), "127.0.0.1", "localhost")
	log := slog.New(slog.NewTextHandler(w.log, nil))
	certificate, err := readCertificate(w.certFile, w.keyFile, log)
	good(t, err)
	for _, file := range authorities {
		good(t, certificate.trust(file))
	}
	w.expander = &expander{metrics: newMetrics(), log: log, explain: true}
	w.address = listen(t, newServer(w.expander, certificate, limit, requests))
	w.pages = httptest.NewServer(pagesOf(w.metrics, certificate))
	t.Cleanup(w.pages.Close)
	return w
}

func listen(t testing.TB, server *grpc.Server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	good(t, err)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

func (w *world) client(t testing.TB) *client { return dial(t, w.address, w.certFile) }

// page reads /metrics or /healthz.
func (w *world) page(t testing.TB, path string) (int, string) {
	t.Helper()
	response, err := http.Get(w.pages.URL + path)
	good(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	good(t, err)
	return response.StatusCode, string(body)
}

// metric waits until a line of /metrics has this value: what gRPC finds wrong is counted after the client knows.
func (w *world) metric(t testing.TB, name, value string) {
	t.Helper()
	line, body := name+" "+value+"\n", ""
	for range 6000 {
		if _, body = w.page(t, "/metrics"); strings.Contains(body, line) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("/metrics is without %q:\n%s", line, body)
}

func (w *world) errors(t testing.TB, why reason, count string) {
	t.Helper()
	w.metric(t, `karp_expander_errors_total{reason="`+string(why)+`"}`, count)
}

func (m *metrics) count(why reason) uint64 {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.errors[why]
}

// Options of decisions that say why pods are left, and of others.
var told, quiet = (&expander{explain: true}).options(), (&expander{}).options()
