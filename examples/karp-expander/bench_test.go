// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// go test -run none -bench .  measures the decision alone (Decide), and the service as its client sees it (Service): there
// ms/answer is from the last byte sent to the answer. cpu-ms/op is the time of processors, which other programs on the
// machine hardly change; Service's has the client in it.

var sizes = []struct {
	name         string
	groups, pods int // of the recorded request where there are none
}{
	{"recorded", 0, 0}, {"10x1000", 10, 1000}, {"100x1000", 100, 1000}, {"10x10000", 10, 10_000}, {"1x100000", 1, 100_000},
	{"2000xown", maxGroups, ownPods},
}

const ownPods = -1 // a pod for each group, which no other group offers

func eachSize(b *testing.B, measure func(b *testing.B, message []byte)) {
	for _, size := range sizes {
		message := recorded(b)
		switch {
		case size.pods == ownPods:
			message = apart(b, size.groups)
		case size.groups > 0:
			message = sized(b, size.groups, size.pods)
		}
		b.Run(size.name, func(b *testing.B) {
			b.SetBytes(int64(len(message)))
			b.ReportAllocs()
			before := processors(b)
			measure(b, message)
			b.ReportMetric(float64((processors(b)-before).Microseconds())/1e3/float64(b.N), "cpu-ms/op")
		})
	}
}

// processors is the time that this process has had of them.
func processors(b *testing.B) time.Duration {
	var used syscall.Rusage
	good(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func BenchmarkDecide(b *testing.B) {
	eachSize(b, func(b *testing.B, message []byte) {
		for b.Loop() {
			if _, err := decide(context.Background(), message, nil, quiet); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// A timedConn knows when a part of a request was written last; windows and pings are smaller.
type timedConn struct {
	net.Conn
	last *atomic.Int64
}

func (c timedConn) Write(bytes []byte) (int, error) {
	n, err := c.Conn.Write(bytes)
	if len(bytes) > 256 {
		c.last.Store(time.Now().UnixNano())
	}
	return n, err
}

func BenchmarkService(b *testing.B) {
	eachSize(b, func(b *testing.B, message []byte) {
		w := serve(b, maxRequest)
		trust, err := credentials.NewClientTLSFromFile(w.certFile, "")
		good(b, err)
		var last atomic.Int64
		c := dialWith(b, w.address, trust, grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
			return timedConn{conn, &last}, err
		}))
		var sum time.Duration
		for b.Loop() {
			_, err := c.ask(message)
			good(b, err)
			sum += time.Since(time.Unix(0, last.Load()))
		}
		b.ReportMetric(float64(sum.Microseconds())/1e3/float64(b.N), "ms/answer")
	})
}
