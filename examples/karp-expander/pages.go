// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"net/http"
	"time"
)

// pagesOf serves /healthz and /metrics.
func pagesOf(m *metrics, c *certificate) http.Handler {
	pages := http.NewServeMux()
	pages.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if _, state := c.current(); !time.Now().Before(state.ends) {
			http.Error(w, fmt.Sprintf("the certificate ended at %s", state.ends.Format(time.RFC3339)), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	pages.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		_, state := c.current()
		var text bytes.Buffer // a slow reader is not to hold up the answers
		m.write(&text, state)
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		w.Write(text.Bytes())
	})
	return pages
}
