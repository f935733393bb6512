// SPDX-License-Identifier: Apache-2.0

// hash prints the hash of the decision on documents: equal hashes, equal decisions, in any language
// (docs/decision-hash.md).
//
//	hash FILE...
package main

import (
	"context"
	"fmt"
	"os"

	"libkarp.dev/go/document"
)

func hash(paths []string) (string, error) {
	input, err := document.Read(nil, paths...)
	if err != nil {
		return "", err
	}
	defer input.Close()
	plan, err := input.Snapshot.Provision(context.Background(), nil)
	if err != nil {
		return "", err
	}
	defer plan.Close()
	return plan.Hash()
}

func main() {
	text, err := hash(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(text)
}
