// SPDX-License-Identifier: Apache-2.0

//go:build !cgo && karp_nocgo

package karp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	karp "libkarp.dev/go"
	"libkarp.dev/go/document"
)

// Without cgo everything compiles, and says what is missing.
func TestNoCgo(t *testing.T) {
	_, builder := karp.NewBuilder(nil)
	_, catalogue := karp.NewCatalogue(nil, nil)
	_, provision := new(karp.Snapshot).Provision(context.Background(), nil)
	_, read := document.Read(nil, ".")
	for name, err := range map[string]error{"builder": builder, "catalogue": catalogue, "provision": provision, "read": read} {
		if !errors.Is(err, karp.ErrNoCgo) || !errors.Is(err, karp.ErrUnsupported) || !strings.Contains(err.Error(), "CGO_ENABLED=1") {
			t.Errorf("%s: %v", name, err)
		}
	}
	new(karp.Builder).Close()
	if table := (&karp.Table{Columns: []karp.Column{{Name: "a"}}}); table.Column("a") == nil {
		t.Error("what needs no library does not work")
	}
}
