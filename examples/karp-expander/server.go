// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"runtime/debug"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	karp "libkarp.dev/go"
)

const (
	maxRequest  = 1 << 30   // bytes that --max-request may say
	usualLimit  = 128 << 20 // bytes: 100 groups with 1,000 pods each are 50 MB; gRPC's own 4 MiB are less than ten such groups
	streamBytes = 16 << 20  // of a request that may be on its way unread
	atOnce      = 8         // requests of one connection; cluster-autoscaler makes one after the other
)

// An expander answers requests for the best option.
type expander struct {
	prices  priceList
	metrics *metrics
	log     *slog.Logger
	explain bool
	profile string // "" = karpenter
	cost    bool   // the cheapest nodes count, not Karpenter's packing
	effort  uint64
}

// A plainCodec leaves messages as they are.
type plainCodec struct{}

func (plainCodec) Name() string { return "proto" }

func (plainCodec) Marshal(v any) ([]byte, error) { return v.([]byte), nil }

func (plainCodec) Unmarshal(message []byte, v any) error {
	*v.(*[]byte) = message
	return nil
}

// newServer serves grpcplugin.Expander.
func newServer(e *expander, certificate *certificate, limit, requests int) *grpc.Server {
	taken := newSlots(requests, func() error {
		return e.failed(fail(reasonBusy, "%d requests are on their way already", requests))
	})
	server := grpc.NewServer(grpc.InTapHandle(taken.take), grpc.KeepaliveParams(idle), grpc.ConnectionTimeout(handshakeTime),
		grpc.Creds(handshakes{credentials.NewTLS(certificate.config()), e}), grpc.ForceServerCodec(plainCodec{}),
		grpc.MaxRecvMsgSize(limit), grpc.InitialWindowSize(streamBytes), grpc.InitialConnWindowSize(streamBytes),
		grpc.MaxConcurrentStreams(atOnce), grpc.StatsHandler(observer{e.metrics}),
		grpc.UnknownServiceHandler(func(any, grpc.ServerStream) error {
			return e.failed(fail(reasonTransport, "this server has grpcplugin.Expander/BestOptions alone"))
		}))
	server.RegisterService(&grpc.ServiceDesc{ServiceName: "grpcplugin.Expander", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "BestOptions", Handler: bestOptions}}}, e)
	return server
}

// Handshakes are TLS, with those counted that fail: a client without trust in the certificate tells nobody.
type handshakes struct {
	credentials.TransportCredentials
	expander *expander
}

func (h handshakes) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	secured, info, err := h.TransportCredentials.ServerHandshake(conn)
	if err != nil {
		h.expander.metrics.failed(reasonHandshake)
		h.expander.log.Warn("no TLS with a client", "client", conn.RemoteAddr().String(), "error", err)
	}
	return secured, info, err
}

func bestOptions(service any, ctx context.Context, receive func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	var message []byte
	if err := receive(&message); err != nil {
		return nil, err
	}
	return service.(*expander).answer(ctx, message)
}

// answer decides, and counts.
func (e *expander) answer(ctx context.Context, message []byte) (response []byte, err error) {
	start := time.Now()
	defer hold(ctx)()
	defer func() {
		if defect := recover(); defect != nil {
			e.log.Error("a defect", "what", defect, "stack", string(debug.Stack()))
			response, err = nil, e.failed(fail(reasonInternal, "a defect: %v", defect))
		}
	}()
	made, err := decide(ctx, message, e.prices, e.options())
	if err != nil {
		return nil, e.failed(err)
	}
	took := time.Since(start)
	e.metrics.answered(made, len(message), took)
	e.tell(made, took)
	return writeResponse(made.groups[0].id), nil
}

// A counted error has been counted; what gRPC finds wrong by itself is counted by the observer.
type counted struct{ *status.Status }

func (c counted) Error() string              { return c.Message() }
func (c counted) GRPCStatus() *status.Status { return c.Status }

func (e *expander) failed(err error) error {
	why := reasonOf(err)
	e.metrics.failed(why)
	e.log.Error("no answer: cluster-autoscaler goes on without", "reason", why, "error", err)
	return counted{status.New(reasonCodes[why], fmt.Sprintf("%s: %v", why, err))}
}

// options of every decision.
func (e *expander) options() *karp.Options {
	o := &karp.Options{Explain: karp.ExplainNone}
	if e.explain {
		o.Explain = karp.ExplainSummary
	}
	if e.profile != "" {
		_ = o.SetProfile(e.profile) // checked when the program was started
	}
	if e.cost { // which group is asked first is no word of the user's: money decides
		o.Cost, o.Effort, o.IgnoreWeights = true, e.effort, true
	}
	return o
}

// tell logs the answer, and with --explain how it came about.
func (e *expander) tell(made *choice, took time.Duration) {
	best := made.groups[0]
	e.log.Info("answered", "group", best.id, "takes", best.planned, "planned", made.planned, "pods", made.pods,
		"groups", len(made.groups), "took", took.Round(time.Microsecond))
	if !e.explain {
		return
	}
	e.log.Info("why", "group", best.id, "because", made.why(), "left", made.left)
	for i, g := range made.groups {
		attributes := []any{"place", i + 1, "group", g.id, "takes", g.planned, "nodes", g.launches, "asked", g.asked,
			"offered_pods", g.offered, "offered_nodes", g.nodes, "price", g.price.perHour, "price_of", g.price.source}
		if !math.IsInf(g.perPod, 0) {
			attributes = append(attributes, "price_per_pod", g.perPod)
		}
		e.log.Info("group", attributes...)
	}
}

// An observer counts the failures that no handler sees: requests beyond the limit, and what is not gRPC as it should be.
type observer struct{ metrics *metrics }

func (o observer) HandleRPC(_ context.Context, event stats.RPCStats) {
	end, ok := event.(*stats.End)
	if !ok || end.Error == nil || errors.As(end.Error, new(counted)) {
		return
	}
	switch status.Code(end.Error) {
	case codes.ResourceExhausted:
		o.metrics.failed(reasonTooLarge)
	case codes.Canceled:
		o.metrics.failed(reasonCanceled)
	case codes.DeadlineExceeded:
		o.metrics.failed(reasonDeadline)
	default:
		o.metrics.failed(reasonTransport)
	}
}

func (observer) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (observer) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (observer) HandleConn(context.Context, stats.ConnStats)                       {}
