// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
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

// renumbered is the recorded request, of cluster-autoscaler 1.35, as an older version sends it: objects as messages up to 1.33, both ways in 1.34.
func renumbered(t *testing.T, both bool) []byte {
	var out []byte
	_, err := fields(recorded(t), func(number protowire.Number, bytes []byte, _ uint64, _ protowire.Type) (bool, error) {
		if number == requestTemplates {
			out = appendBytes(out, requestOldTemplates, bytes)
			if both {
				out = appendBytes(out, requestTemplates, bytes)
			}
			return true, nil
		}
		var option []byte
		_, err := fields(bytes, func(number protowire.Number, bytes []byte, varint uint64, is protowire.Type) (bool, error) {
			switch {
			case is == protowire.VarintType:
				option = protowire.AppendVarint(protowire.AppendTag(option, number, is), varint)
			case number != optionPods || both:
				option = appendBytes(option, number, bytes)
			}
			if number == optionPods {
				option = appendBytes(option, optionOldPods, bytes)
			}
			return true, nil
		})
		out = appendBytes(out, requestOptions, option)
		return true, err
	})
	good(t, err)
	return out
}

// Every version's request is read as the newest one's, and answered as it is.
func TestVersions(t *testing.T) {
	newest, err := readRequest(recorded(t))
	good(t, err)
	best, err := decide(context.Background(), recorded(t), nil, quiet)
	good(t, err)
	for name, message := range map[string][]byte{"1.30 to 1.33": renumbered(t, false), "1.34": renumbered(t, true)} {
		older, err := readRequest(message)
		good(t, err)
		if !reflect.DeepEqual(older, newest) {
			t.Error(name, len(older.options), len(older.pods), len(older.templates), older.unknown)
		}
		made, err := decide(context.Background(), message, nil, quiet)
		good(t, err)
		if made.groups[0].id != best.groups[0].id || takes(made) != takes(best) {
			t.Error(name, made.groups[0].id, takes(made))
		}
	}
}

// What the bytes say counts, whatever the old fields say beside them.
func TestBytesCount(t *testing.T) {
	option := appendBytes(appendBytes(appendBytes(nil, optionGroup, []byte("g")), optionOldPods, []byte("old")), optionPods, []byte("new"))
	entry := func(node string) []byte {
		return appendBytes(appendBytes(nil, entryKey, []byte("g")), entryValue, []byte(node))
	}
	message := appendBytes(appendBytes(nil, requestOptions, option), requestTemplates, entry("new"))
	r, err := readRequest(appendBytes(message, requestOldTemplates, entry("old")))
	good(t, err)
	if len(r.pods) != 1 || string(r.pods[0]) != "new" || string(r.templates["g"]) != "new" || r.unknown != 0 {
		t.Fatal(r)
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
