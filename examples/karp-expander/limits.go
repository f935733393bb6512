// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/tap"
)

const (
	maxConnections = 64               // cluster-autoscaler has one
	handshakeTime  = 10 * time.Second // from a connection to its first request
	requestTime    = 30 * time.Second // of a request, the reading of it included: cluster-autoscaler waits for 5 s
)

// idle connections are asked whether they are still there, and closed: cluster-autoscaler's client makes a new one.
var idle = keepalive.ServerParameters{MaxConnectionIdle: 15 * time.Minute, Time: time.Minute, Timeout: 20 * time.Second}

// slots are the requests that may be on their way at a time, over all connections: so many times the largest request bounds memory.
type slots struct {
	free    chan struct{}
	patient time.Duration
	refuse  func() error
}

func newSlots(count int, refuse func() error) *slots {
	s := &slots{free: make(chan struct{}, count), patient: requestTime, refuse: refuse}
	for range count {
		s.free <- struct{}{}
	}
	return s
}

// A slot is held by its stream and by the handler that works on its message, whoever ends last.
type slot struct {
	holders atomic.Int32
	of      *slots
}

type slotKey struct{}

func (s *slot) leave() {
	if s.holders.Add(-1) == 0 {
		s.of.free <- struct{}{}
	}
}

// take is asked before anything of a request is read.
func (s *slots) take(ctx context.Context, _ *tap.Info) (context.Context, error) {
	select {
	case <-s.free:
	default:
		return ctx, s.refuse()
	}
	one := &slot{of: s}
	one.holders.Store(1)
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, slotKey{}, one), s.patient)
	context.AfterFunc(ctx, func() {
		cancel()
		one.leave()
	})
	return ctx, nil
}

// hold keeps the slot of a request until the function is called that it returns.
func hold(ctx context.Context) func() {
	one, ok := ctx.Value(slotKey{}).(*slot)
	if !ok {
		return func() {}
	}
	one.holders.Add(1)
	return one.leave
}

// A limitedListener has at most so many connections; others wait to be accepted.
type limitedListener struct {
	net.Listener
	free chan struct{}
	once sync.Once
	done chan struct{}
}

func limitConnections(l net.Listener, most int) net.Listener {
	return &limitedListener{Listener: l, free: make(chan struct{}, most), done: make(chan struct{})}
}

func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &limitedConn{Conn: conn, leave: sync.OnceFunc(func() { <-l.free })}, nil
}

func (l *limitedListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	leave func()
}

func (c *limitedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
