// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

func TestReadRequest(t *testing.T) {
	r, err := readRequest(recorded(t))
	good(t, err)
	if len(r.options) != 4 || len(r.pods) != 6 || len(r.templates) != 4 || r.unknown != 0 {
		t.Fatal(len(r.options), len(r.pods), len(r.templates), r.unknown)
	}
	for i, o := range r.options {
		if o.group != []string{"g000", "g001", "g002", "g003"}[i] || o.nodes != 1 || !slices.Equal(o.pods, []uint32{0, 1, 2, 3, 4, 5}) {
			t.Fatal(o)
		}
	}
	for _, pod := range r.pods {
		if len(pod) != 521 {
			t.Error(len(pod))
		}
	}
}

// Every part of a request is a request, or malformed; nothing else.
func TestCutOff(t *testing.T) {
	message := recorded(t)
	whole := 0
	for length := range len(message) {
		_, err := readRequest(message[:length])
		if err == nil {
			whole++
		} else if reasonOf(err) != reasonMalformed {
			t.Fatal(length, err)
		}
	}
	if whole != 8 { // the boundaries between four options and four templates
		t.Fatal(whole)
	}
}

// What a newer client may add, in every wire type, is skipped and counted, at every level.
func TestUnknownFields(t *testing.T) {
	more := protowire.AppendVarint(protowire.AppendTag(nil, 200, protowire.VarintType), 7)
	more = protowire.AppendFixed32(protowire.AppendTag(more, 201, protowire.Fixed32Type), 7)
	more = protowire.AppendFixed64(protowire.AppendTag(more, 202, protowire.Fixed64Type), 7)
	more = appendBytes(more, 203, []byte("more"))
	more = protowire.AppendTag(protowire.AppendTag(more, 204, protowire.StartGroupType), 204, protowire.EndGroupType)
	more = protowire.AppendVarint(protowire.AppendTag(more, 1, protowire.VarintType), 7) // 1 is bytes in all of them
	option := append(appendBytes(nil, optionGroup, []byte("g")), more...)
	entry := append(appendBytes(nil, entryKey, []byte("g")), more...)
	message := append(appendBytes(appendBytes(nil, requestOptions, option), requestTemplates, entry), more...)
	r, err := readRequest(message)
	good(t, err)
	if r.unknown != 18 || len(r.options) != 1 || r.options[0].group != "g" || len(r.templates) != 1 {
		t.Fatal(r)
	}
	made, err := decide(context.Background(), append(recorded(t), more...), nil, quiet)
	good(t, err)
	if made.unknown != 6 || made.groups[0].id != "g000" {
		t.Fatal(made.unknown, made.groups[0].id)
	}
}

// Messages of few bytes that would cost many.
func TestBounds(t *testing.T) {
	var deep []byte
	for range 100_000 {
		deep = protowire.AppendTag(deep, 9, protowire.StartGroupType)
	}
	var options, templates, pods []byte
	for i := range maxGroups + 1 {
		options = appendBytes(options, requestOptions, nil)
		templates = appendBytes(templates, requestTemplates, appendBytes(nil, entryKey, fmt.Append(nil, i)))
	}
	for i := range maxPods + 1 {
		pods = appendBytes(pods, optionPods, []byte{byte(i), byte(i >> 8), byte(i >> 16)})
	}
	for name, row := range map[string]struct {
		message []byte
		why     reason
	}{
		"groups in groups": {deep, reasonMalformed},
		"options":          {options, reasonLimit},
		"templates":        {templates, reasonLimit},
		"pods":             {appendBytes(nil, requestOptions, pods), reasonLimit},
	} {
		if _, err := readRequest(row.message); err == nil || reasonOf(err) != row.why {
			t.Errorf("%s: %v", name, err)
		}
	}
	huge := make([]byte, maxObject+1)
	template := func(node []byte) []byte {
		return appendBytes(nil, requestTemplates, appendBytes(appendBytes(nil, entryKey, []byte("g")), entryValue, node))
	}
	option := appendBytes(appendBytes(nil, optionGroup, []byte("g")), optionPods, huge)
	for why, message := range map[reason][]byte{
		reasonPod:      appendBytes(template(nil), requestOptions, option),
		reasonTemplate: appendBytes(template(huge), requestOptions, option),
	} {
		if _, err := decide(context.Background(), message, nil, quiet); reasonOf(err) != why || !strings.Contains(err.Error(), " has 1572865 bytes") {
			t.Error(why, err)
		}
	}
}

// FuzzDecide: any bytes are answered with one of their groups, the same twice, or refused for a reason that is theirs.
func FuzzDecide(f *testing.F) {
	f.Add(recorded(f))
	for _, row := range ruleCases(f) {
		f.Add(encodeRequest(f, row.options(f), row.templates))
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, message []byte) {
		made, err := decide(context.Background(), message, nil, told)
		again, errAgain := decide(context.Background(), message, nil, quiet)
		if (err == nil) != (errAgain == nil) {
			t.Fatal(err, errAgain)
		}
		if err != nil {
			var f *failure
			if !errors.As(err, &f) && reasonOf(err) != reasonLimit {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		if made.groups[0].id != again.groups[0].id || takes(made) != takes(again) {
			t.Fatal(takes(made), "and", takes(again))
		}
		r, err := readRequest(message)
		good(t, err)
		if !slices.ContainsFunc(r.options, func(o option) bool { return o.group == made.groups[0].id }) {
			t.Fatal("no such group:", made.groups[0].id)
		}
		if made.planned > made.pods {
			t.Fatal(made.planned, made.pods)
		}
	})
}
