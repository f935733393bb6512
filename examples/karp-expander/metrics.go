// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"
)

// Metrics in Prometheus' text format. No label takes its values from a request.
type metrics struct {
	lock          sync.Mutex
	answers       uint64
	errors        map[reason]uint64
	unknownFields uint64
	requestBytes  uint64
	pods, planned uint64
	seconds       histogram
}

func newMetrics() *metrics {
	m := &metrics{errors: map[reason]uint64{}}
	for why := range reasonCodes { // a counter that is not there yet cannot be watched
		m.errors[why] = 0
	}
	return m
}

// Upper bounds in seconds. The client gives up after 5.
var bounds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5}

type histogram struct {
	counts []uint64 // by bound, each with those below
	count  uint64
	sum    float64
}

func (h *histogram) observe(value float64) {
	if h.counts == nil {
		h.counts = make([]uint64, len(bounds))
	}
	for i, bound := range bounds {
		if value <= bound {
			h.counts[i]++
		}
	}
	h.count++
	h.sum += value
}

func (m *metrics) answered(c *choice, bytes int, took time.Duration) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.answers++
	m.pods += uint64(c.pods)
	m.planned += uint64(c.planned)
	m.unknownFields += uint64(c.unknown)
	m.requestBytes += uint64(bytes)
	m.seconds.observe(took.Seconds())
}

func (m *metrics) failed(why reason) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.errors[why]++
}

func (m *metrics) write(w io.Writer, certificate certificateState) {
	m.lock.Lock()
	defer m.lock.Unlock()
	head := func(name, kind, help string) { fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind) }
	counter := func(name, help string, value uint64) {
		head(name, "counter", help)
		fmt.Fprintf(w, "%s %d\n", name, value)
	}
	counter("karp_expander_answers_total", "Requests that were answered with a group.", m.answers)
	head("karp_expander_errors_total", "counter", "Requests and handshakes that failed; cluster-autoscaler went on without an answer.")
	for _, why := range slices.Sorted(maps.Keys(m.errors)) {
		fmt.Fprintf(w, "karp_expander_errors_total{reason=%q} %d\n", string(why), m.errors[why])
	}
	counter("karp_expander_request_bytes_total", "Bytes of answered requests.", m.requestBytes)
	counter("karp_expander_pods_total", "Different pods of answered requests.", m.pods)
	counter("karp_expander_planned_pods_total", "Pods that the plans of answered requests place.", m.planned)
	counter("karp_expander_unknown_fields_total", "Fields of answered requests that were skipped.", m.unknownFields)
	head("karp_expander_decision_seconds", "histogram", "From the last byte of an answered request to its answer.")
	for i, bound := range bounds {
		count := uint64(0)
		if m.seconds.counts != nil {
			count = m.seconds.counts[i]
		}
		fmt.Fprintf(w, "karp_expander_decision_seconds_bucket{le=\"%g\"} %d\n", bound, count)
	}
	fmt.Fprintf(w, "karp_expander_decision_seconds_bucket{le=\"+Inf\"} %d\n", m.seconds.count)
	fmt.Fprintf(w, "karp_expander_decision_seconds_sum %g\nkarp_expander_decision_seconds_count %d\n", m.seconds.sum, m.seconds.count)
	counter("karp_expander_certificate_reloads_total", "Certificates that replaced the one before.", certificate.reloads)
	counter("karp_expander_certificate_failures_total", "Changed certificate files that could not be used.", certificate.failures)
	head("karp_expander_certificate_expiry_timestamp_seconds", "gauge", "When the certificate in use ends.")
	fmt.Fprintf(w, "karp_expander_certificate_expiry_timestamp_seconds %d\n", certificate.ends.Unix())
}
