// SPDX-License-Identifier: Apache-2.0

package main

import (
	"unicode/utf8"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

// The messages of grpcplugin.Expander, by hand: three of them, with few fields that are read. Fields that are not known
// here are skipped, and counted, as every reader of protobuf does with what a newer writer adds.

// Numbers of fields. cluster-autoscaler sends core/v1 objects as messages up to 1.33, as bytes from 1.35 on, and both ways in between;
// their encodings are the same. Where both are sent the bytes count, as its protocol says.
const (
	requestOptions      = 1 // repeated option
	requestOldTemplates = 2 // map<string, core/v1 Node>: group id to node
	requestTemplates    = 3 // map<string, bytes>: likewise
	optionGroup         = 1 // string
	optionNodes         = 2 // int32
	optionDebug         = 3 // string, not read
	optionOldPods       = 4 // repeated core/v1 Pod
	optionPods          = 5 // repeated bytes: core/v1 Pod
	entryKey            = 1
	entryValue          = 2
	responseOptions     = 1
)

// What a request of few bytes could cost many: the numbers of its parts are bounded, far beyond what clusters have.
const (
	maxGroups = 2_000
	maxPods   = 1_000_000 // distinct ones
)

// An option is a node group that could grow, with the pods that its new nodes would take.
type option struct {
	group string
	nodes int32    // as cluster-autoscaler estimates
	pods  []uint32 // of request.pods
}

// A request has each pod once: the options repeat them, byte for byte.
type request struct {
	options   []option
	pods      [][]byte // distinct, in the order of the message; parts of it
	templates map[string][]byte
	unknown   int // fields that were skipped
}

var errMalformed = fail(reasonMalformed, "the bytes are cut off, or not protobuf")

// fields calls known for each field of a message that has the wire type known wants; known says whether it took the field.
func fields(message []byte, known func(number protowire.Number, bytes []byte, varint uint64, is protowire.Type) (bool, error)) (skipped int, err error) {
	for len(message) > 0 {
		number, is, n := protowire.ConsumeTag(message)
		if n < 0 {
			return skipped, errMalformed
		}
		message = message[n:]
		var bytes []byte
		var varint uint64
		switch is {
		case protowire.BytesType:
			bytes, n = protowire.ConsumeBytes(message)
		case protowire.VarintType:
			varint, n = protowire.ConsumeVarint(message)
		default:
			n = protowire.ConsumeFieldValue(number, is, message)
		}
		if n < 0 {
			return skipped, errMalformed
		}
		message = message[n:]
		took, err := known(number, bytes, varint, is)
		if err != nil {
			return skipped, err
		}
		if !took {
			skipped++
		}
	}
	return skipped, nil
}

func text(bytes []byte) (string, error) {
	if !utf8.Valid(bytes) {
		return "", fail(reasonMalformed, "a string is not UTF-8")
	}
	return string(bytes), nil
}

// A requestReader remembers which pods it has seen. The keys are parts of the message, which nobody changes.
type requestReader struct {
	request request
	seen    map[string]uint32
	old     map[string][]byte // templates of the old field
}

// readRequest decodes a request. It keeps parts of the message.
func readRequest(message []byte) (*request, error) {
	r := requestReader{request: request{templates: map[string][]byte{}}, seen: map[string]uint32{}, old: map[string][]byte{}}
	skipped, err := fields(message, func(number protowire.Number, bytes []byte, _ uint64, is protowire.Type) (bool, error) {
		switch {
		case is == protowire.BytesType && number == requestOptions:
			return true, r.option(bytes)
		case is == protowire.BytesType && number == requestTemplates:
			return true, r.template(r.request.templates, bytes)
		case is == protowire.BytesType && number == requestOldTemplates:
			return true, r.template(r.old, bytes)
		}
		return false, nil
	})
	r.request.unknown += skipped
	if len(r.request.templates) == 0 {
		r.request.templates = r.old
	}
	return &r.request, err
}

func (r *requestReader) option(message []byte) error {
	if len(r.request.options) == maxGroups {
		return fail(reasonLimit, "more than %d options", maxGroups)
	}
	var out option
	var pods, old [][]byte
	skipped, err := fields(message, func(number protowire.Number, bytes []byte, varint uint64, is protowire.Type) (took bool, err error) {
		switch {
		case is == protowire.BytesType && number == optionGroup:
			out.group, err = text(bytes)
		case is == protowire.VarintType && number == optionNodes:
			out.nodes = int32(varint)
		case is == protowire.BytesType && number == optionDebug:
		case is == protowire.BytesType && number == optionPods:
			pods = append(pods, bytes)
		case is == protowire.BytesType && number == optionOldPods:
			old = append(old, bytes)
		default:
			return false, nil
		}
		return true, err
	})
	r.request.unknown += skipped
	if len(pods) == 0 {
		pods = old
	}
	for i := 0; i < len(pods) && err == nil; i++ {
		var pod uint32
		pod, err = r.pod(pods[i])
		out.pods = append(out.pods, pod)
	}
	r.request.options = append(r.request.options, out)
	return err
}

// pod is the number of a pod among the distinct ones.
func (r *requestReader) pod(bytes []byte) (uint32, error) {
	key := unsafe.String(unsafe.SliceData(bytes), len(bytes))
	index, ok := r.seen[key]
	if !ok {
		if len(r.request.pods) == maxPods {
			return 0, fail(reasonLimit, "more than %d different pods", maxPods)
		}
		index = uint32(len(r.request.pods))
		r.seen[key] = index
		r.request.pods = append(r.request.pods, bytes)
	}
	return index, nil
}

func (r *requestReader) template(into map[string][]byte, message []byte) error {
	var group string
	var node []byte
	skipped, err := fields(message, func(number protowire.Number, bytes []byte, _ uint64, is protowire.Type) (took bool, err error) {
		switch {
		case is == protowire.BytesType && number == entryKey:
			group, err = text(bytes)
		case is == protowire.BytesType && number == entryValue:
			node = bytes
		default:
			return false, nil
		}
		return true, err
	})
	r.request.unknown += skipped
	if _, ok := into[group]; !ok && len(into) == maxGroups {
		return fail(reasonLimit, "more than %d templates", maxGroups)
	}
	into[group] = node
	return err
}

// writeResponse encodes an answer of one option. Its id is all that cluster-autoscaler reads.
func writeResponse(group string) []byte {
	inner := protowire.AppendString(protowire.AppendTag(nil, optionGroup, protowire.BytesType), group)
	return protowire.AppendBytes(protowire.AppendTag(nil, responseOptions, protowire.BytesType), inner)
}
