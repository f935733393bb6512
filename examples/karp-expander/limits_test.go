// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
)

// begin opens a stream that sends nothing.
func begin(t testing.TB, c *client, ctx context.Context) grpc.ClientStream {
	t.Helper()
	stream, err := c.conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, method)
	good(t, err)
	return stream
}

// However many connections they come by, so many requests are on their way; the next is refused, and taken when one has gone.
func TestSlots(t *testing.T) {
	w := serveWith(t, maxRequest, 2)
	ctx, cancel := context.WithCancel(context.Background())
	for range 2 {
		begin(t, w.client(t), ctx)
	}
	other := w.client(t)
	for range 6000 { // until the two have arrived
		if _, err := other.ask(recorded(t)); err != nil {
			if status.Code(err) != codes.ResourceExhausted {
				t.Fatal(err)
			}
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.errors(t, reasonBusy, "1")
	cancel()
	for range 6000 {
		if _, err := other.ask(recorded(t)); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the slots are not given back")
}

// A stream that sends nothing loses its slot.
func TestPatience(t *testing.T) {
	s := newSlots(1, func() error { return context.DeadlineExceeded })
	s.patient = time.Millisecond
	ctx, err := s.take(context.Background(), nil)
	good(t, err)
	leave := hold(ctx)
	<-ctx.Done()
	if _, err := s.take(context.Background(), nil); err == nil {
		t.Fatal("the handler is still at work")
	}
	leave()
	for range 6000 {
		if _, err := s.take(context.Background(), nil); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the slot is not given back")
}

func TestConnections(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	good(t, err)
	limited := limitConnections(inner, 1)
	for range 2 {
		conn, err := net.Dial("tcp", inner.Addr().String())
		good(t, err)
		defer conn.Close()
	}
	first, err := limited.Accept()
	good(t, err)
	accepted := make(chan error)
	go func() {
		_, err := limited.Accept()
		accepted <- err
	}()
	select {
	case <-accepted:
		t.Fatal("two at a time")
	case <-time.After(10 * time.Millisecond):
	}
	good(t, first.Close())
	good(t, <-accepted)
	go func() {
		_, err := limited.Accept()
		accepted <- err
	}()
	good(t, limited.Close())
	if <-accepted == nil {
		t.Fatal("a closed listener accepts")
	}
}

func TestClientAuthorities(t *testing.T) {
	folder := t.TempDir()
	certFile, keyFile := filepath.Join(folder, "client.pem"), filepath.Join(folder, "client.key")
	pair(t, certFile, keyFile, 7, time.Now().Add(time.Hour), "client")
	w := serveWith(t, maxRequest, 2, certFile)
	own := w.client(t)
	own.deadline = 5 * time.Second
	if _, err := own.ask(recorded(t)); err == nil {
		t.Fatal("a client without a certificate is answered")
	}
	shown, err := tls.LoadX509KeyPair(certFile, keyFile)
	good(t, err)
	text, err := os.ReadFile(w.certFile)
	good(t, err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	_, err = dialWith(t, w.address, credentials.NewTLS(&tls.Config{RootCAs: pool, Certificates: []tls.Certificate{shown}})).ask(recorded(t))
	good(t, err)
	c := &certificate{}
	if c.trust(keyFile) == nil || c.trust(folder) == nil {
		t.Fatal("files without a certificate are authorities")
	}
}

// Clients without manners for as long as KARP_SOAK says (the long suite: 10 minutes), one with: it is answered in between, and memory
// stays below what two requests take.
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("KARP_SOAK"))
	if err != nil {
		length = time.Second
	}
	const limit = 8 << 20
	w := serveWith(t, limit, 2)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var all sync.WaitGroup
	for i := range 8 {
		c := w.client(t)
		all.Go(func() {
			zeros := make([]byte, limit-i)
			for ctx.Err() == nil {
				_, _ = c.ask(zeros)
				brief, stop := context.WithTimeout(ctx, 5*time.Millisecond)
				if stream, err := c.conn.NewStream(brief, &grpc.StreamDesc{ClientStreams: true}, method); err == nil {
					_ = stream.SendMsg(zeros)
				}
				stop()
			}
		})
	}
	good_, answered, most := w.client(t), 0, uint64(0)
	// However slow the machine is, the soak lasts until the service has answered somebody.
	for start := time.Now(); time.Since(start) < length || answered == 0 && time.Since(start) < time.Minute; {
		if ids, err := good_.ask(recorded(t)); err == nil && len(ids) == 1 {
			answered++
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapInuse)
		time.Sleep(time.Millisecond)
	}
	cancel()
	all.Wait()
	if _, err := good_.ask(recorded(t)); err != nil || answered == 0 {
		t.Fatal(answered, " answers in between; afterwards: ", err)
	}
	if most > 512<<20 { // the clients are in this process, too
		t.Fatal("at most ", most, " bytes")
	}
	if n := runtime.NumGoroutine(); n > 500 {
		t.Fatal(n, " goroutines are left")
	}
	t.Log(answered, "answers,", most>>20, "MiB at most")
}
