// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	s, err := parse([]string{"--cert", "c", "--key", "k", "--explain", "--region", "us-west-2", "--listen", "[::1]:1"}, io.Discard)
	good(t, err)
	if *s != (settings{listen: "[::1]:1", web: ":8087", certFile: "c", keyFile: "k", region: "us-west-2", limit: 128 << 20, requests: 2, explain: true, profile: "karpenter", objective: "compatible", effort: 10000}) {
		t.Fatal(s)
	}
	for _, wrong := range []string{"", "--cert c", "--cert c --key k more", "--cert c --key k --profile karpenter-1.13", "--cert c --key k --objective cheap", "--cert c --key k --effort 0", "--cert c --key k --max-request 0", "--cert c --key k --max-requests 0", "--cert c --key k --max-request 1073741825", "--colour"} {
		if _, err := parse(strings.Fields(wrong), io.Discard); err == nil {
			t.Error(wrong, "is taken")
		}
	}
	if _, err := parse([]string{"--help"}, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Fatal(err)
	}
}

// found waits until the log has what the pattern describes.
func found(t *testing.T, log *sharedBuffer, pattern string) string {
	t.Helper()
	for range 6000 {
		if match := regexp.MustCompile(pattern).FindStringSubmatch(log.String()); match != nil {
			return match[1]
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the log is without %s:\n%s", pattern, log)
	return ""
}

// The program as a whole, from its settings to its end.
func TestRun(t *testing.T) {
	folder := t.TempDir()
	s := &settings{listen: "127.0.0.1:0", web: "127.0.0.1:0", certFile: filepath.Join(folder, "c"), keyFile: filepath.Join(folder, "k"),
		region: "us-west-2", limit: maxRequest, requests: 2}
	log := &sharedBuffer{}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	logger := slog.New(slog.NewTextHandler(log, nil))
	if err := run(ctx, s, logger); err == nil {
		t.Fatal("it runs without a certificate")
	}
	pair(t, s.certFile, s.keyFile, 1, time.Now().Add(time.Hour), "127.0.0.1")
	ended := make(chan error)
	go func() { ended <- run(ctx, s, logger) }()
	c := dial(t, found(t, log, `grpcplugin.Expander" address=(\S+)`), s.certFile)
	ids, err := c.ask(recorded(t))
	good(t, err)
	if !slices.Equal(ids, []string{"g000"}) {
		t.Fatal(ids)
	}
	web := found(t, log, `metrics" address=(\S+)`)
	response, err := http.Get("http://" + web + "/healthz")
	good(t, err)
	response.Body.Close()
	taken := *s
	taken.listen = web
	if err := run(ctx, &taken, logger); err == nil {
		t.Fatal("two services at one address")
	}
	cancel()
	good(t, <-ended)
}
