// SPDX-License-Identifier: Apache-2.0

// Karp-expander is a gRPC expander for an unmodified cluster-autoscaler: asked which of some node groups is to grow, it
// plans all their pods with libkarp and names the group that takes most of them. README.md says how to run it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	karp "libkarp.dev/go"
)

// settings of the command line.
type settings struct {
	listen, web       string
	certFile, keyFile string
	catalogue, region string
	clientCA          string
	limit             int64
	requests          int
	explain           bool
	profile           string
	objective         string
	effort            uint64
}

func parse(arguments []string, output io.Writer) (*settings, error) {
	s := &settings{}
	flags := flag.NewFlagSet("karp-expander", flag.ContinueOnError)
	flags.SetOutput(output)
	flags.StringVar(&s.listen, "listen", ":8086", "`address` of the gRPC service")
	flags.StringVar(&s.web, "web", ":8087", "`address` of /healthz and /metrics, without TLS; \"\" = none")
	flags.StringVar(&s.certFile, "cert", "", "`file` of the certificate (PEM), with what leads to its authority; read again when it changes")
	flags.StringVar(&s.keyFile, "key", "", "`file` of its key (PEM)")
	flags.StringVar(&s.catalogue, "catalogue", "", "`file` of instance types to take prices from, as karp catalogue -o json writes it")
	flags.StringVar(&s.region, "region", "", "take prices from the built-in catalogue of this `region` of AWS")
	flags.StringVar(&s.clientCA, "client-ca", "", "`file` of authorities (PEM): clients have to show a certificate of one of them")
	flags.Int64Var(&s.limit, "max-request", usualLimit, "`bytes` of the largest request")
	flags.IntVar(&s.requests, "max-requests", 2, "how `many` requests may be on their way at a time, over all connections")
	flags.StringVar(&s.profile, "profile", "karpenter", "`whose` packing counts: "+strings.Join(karp.Profiles(), ", "))
	flags.StringVar(&s.objective, "objective", "compatible", "`what` the plan aims at: compatible (Karpenter's packing) or cost (the cheapest nodes)")
	flags.Uint64Var(&s.effort, "effort", 10000, "`steps` of work that --objective cost may take, about a microsecond each")
	flags.BoolVar(&s.explain, "explain", false, "log why a group was chosen")
	if err := flags.Parse(arguments); err != nil {
		return nil, err
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("there are no arguments but options: %q", flags.Arg(0))
	case s.certFile == "" || s.keyFile == "":
		return nil, errors.New("--cert and --key are needed: cluster-autoscaler's client speaks TLS alone")
	case new(karp.Options).SetProfile(s.profile) != nil:
		return nil, fmt.Errorf("--profile: there is no profile %q", s.profile)
	case s.objective != "compatible" && s.objective != "cost":
		return nil, errors.New("--objective is compatible or cost")
	case s.effort < 1 || s.effort > maxEffort:
		return nil, fmt.Errorf("--effort is from 1 to %d", maxEffort)
	case s.limit < 1 || s.limit > maxRequest:
		return nil, fmt.Errorf("--max-request is from 1 to %d", maxRequest)
	case s.requests < 1 || s.requests > 1000:
		return nil, errors.New("--max-requests is from 1 to 1000")
	}
	return s, nil
}

// maxEffort is what a request has time for, twice over.
const maxEffort = 10_000_000

func main() {
	s, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err == nil {
		err = run(ctx, s, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "karp-expander:", err)
		os.Exit(1)
	}
}

// patience is how long requests that are under way may take when the program is to end: longer than any client waits.
const patience = 6 * time.Second

// run serves until ctx ends or a service fails.
func run(ctx context.Context, s *settings, log *slog.Logger) error {
	builder, err := karp.NewBuilder(nil) // a library that does not go with this program is better told now
	if err != nil {
		return err
	}
	builder.Close()
	prices, err := readPrices(s.catalogue, s.region)
	if err != nil {
		return err
	}
	certificate, err := readCertificate(s.certFile, s.keyFile, log)
	if err != nil {
		return err
	}
	if err := certificate.trust(s.clientCA); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", s.listen)
	if err != nil {
		return err
	}
	e := &expander{prices: prices, metrics: newMetrics(), log: log, explain: s.explain, profile: s.profile, cost: s.objective == "cost", effort: s.effort}
	server := newServer(e, certificate, int(s.limit), s.requests)
	ended := make(chan error, 2)
	if s.web != "" {
		web, err := net.Listen("tcp", s.web)
		if err != nil {
			listener.Close()
			return err
		}
		pages := &http.Server{Handler: pagesOf(e.metrics, certificate), ReadTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second,
			IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 14}
		defer pages.Close()
		go func() { ended <- pages.Serve(limitConnections(web, maxConnections)) }()
		log.Info("health and metrics", "address", web.Addr().String())
	}
	go func() { ended <- server.Serve(limitConnections(listener, maxConnections)) }()
	_, state := certificate.current()
	log.Info("serving grpcplugin.Expander", "address", listener.Addr().String(), "certificate_ends", state.ends, "prices", len(prices))
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	impatient := time.AfterFunc(patience, server.Stop)
	server.GracefulStop()
	impatient.Stop()
	return err
}
