// SPDX-License-Identifier: Apache-2.0

// Oracle asks the real Karpenter what it decides on Snapshots: files, or one document a line of standard input. It answers
// with the decision part of a Plan, one a line; {"error": …} where Karpenter failed, {"notCovered": …} where it cannot be asked.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

type trouble struct {
	Error      string `json:"error,omitempty"`
	NotCovered string `json:"notCovered,omitempty"`
}

func decide(text []byte, base string) (answer any) {
	defer func() {
		if r := recover(); r != nil {
			answer = crash(r)
		}
	}()
	var err error
	var s *snapshot
	var w *world
	if s, err = read(text, base); err == nil {
		if w, err = newWorld(s); err == nil {
			var p *plan
			if p, err = w.decide(); err == nil {
				return p
			}
		}
	}
	var skipped notCovered
	if errors.As(err, &skipped) {
		return trouble{NotCovered: string(skipped)}
	}
	return trouble{Error: err.Error()}
}

// crash: Karpenter cannot be asked about pods that leave their nodes and share a claim. It allocates the claim for each of them, and panics
// at the second.
func crash(reason any) trouble {
	if text := fmt.Sprint(reason); strings.Contains(text, "commit claim which was already allocated") {
		return trouble{NotCovered: text}
	}
	return trouble{Error: fmt.Sprintf("panic: %v\n%s", reason, debug.Stack())}
}

func serve(in io.Reader, out *json.Encoder) error {
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 1 {
			if err := out.Encode(decide(line, ".")); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func run(paths []string) error {
	out := json.NewEncoder(os.Stdout)
	if len(paths) == 0 {
		return serve(os.Stdin, out)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := out.Encode(decide(text, filepath.Dir(path))); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	log.SetLogger(logr.Discard())
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}
