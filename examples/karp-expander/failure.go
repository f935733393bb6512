// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"

	karp "libkarp.dev/go"
)

// A reason is why a request got no answer. The client tells nobody: it goes on with all options, so errors are counted here.
type reason string

const (
	reasonMalformed reason = "malformed" // the message is cut off, or not of this protocol
	reasonEmpty     reason = "empty"     // no options, or no pods in them
	reasonGroup     reason = "group"     // an option without a group's id, or two of one group
	reasonPod       reason = "pod"       // a pod does not decode, or states what cannot be
	reasonTemplate  reason = "template"  // a group's template node is missing or does not decode
	reasonTooLarge  reason = "too_large" // beyond the receive limit
	reasonBusy      reason = "busy"      // as many requests are on their way as may be
	reasonLimit     reason = "limit"     // more objects than are taken
	reasonDeadline  reason = "deadline"  // the client's time is up
	reasonCanceled  reason = "canceled"  // the client has gone
	reasonHandshake reason = "handshake" // no TLS, or a client that does not trust the certificate; no request got here
	reasonTransport reason = "transport" // gRPC itself: an unknown method, a compression that is not spoken …
	reasonInternal  reason = "internal"  // a defect here, or no memory
)

// reasonCodes has every reason, with the code the client gets.
var reasonCodes = map[reason]codes.Code{
	reasonMalformed: codes.InvalidArgument,
	reasonEmpty:     codes.InvalidArgument,
	reasonGroup:     codes.InvalidArgument,
	reasonPod:       codes.InvalidArgument,
	reasonTemplate:  codes.InvalidArgument,
	reasonTooLarge:  codes.ResourceExhausted,
	reasonBusy:      codes.ResourceExhausted,
	reasonLimit:     codes.ResourceExhausted,
	reasonDeadline:  codes.DeadlineExceeded,
	reasonCanceled:  codes.Canceled,
	reasonHandshake: codes.Unauthenticated,
	reasonTransport: codes.Unimplemented,
	reasonInternal:  codes.Internal,
}

// A failure is an error with its reason.
type failure struct {
	reason reason
	err    error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func fail(why reason, format string, arguments ...any) error {
	return &failure{why, fmt.Errorf(format, arguments...)}
}

// failWith gives an error of the library a reason, unless it says more by itself.
func failWith(why reason, err error) error {
	if errors.Is(err, karp.ErrLimit) || errors.Is(err, karp.ErrMemory) || errors.Is(err, karp.ErrInternal) {
		return err
	}
	return &failure{why, err}
}

// reasonOf is the reason of any error.
func reasonOf(err error) reason {
	var f *failure
	switch {
	case errors.As(err, &f):
		return f.reason
	case errors.Is(err, context.DeadlineExceeded):
		return reasonDeadline
	case errors.Is(err, karp.ErrCanceled), errors.Is(err, context.Canceled):
		return reasonCanceled
	case errors.Is(err, karp.ErrLimit):
		return reasonLimit
	}
	return reasonInternal
}
