// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/encoding/protowire"
	v1 "k8s.io/api/core/v1"
)

// A client that does what cluster-autoscaler's does: TLS by an authority's file, a deadline, one method; what it makes of the
// answers is TestAnswers. testdata/peer has the same questions for the real one.

const method = "/grpcplugin.Expander/BestOptions"

type client struct {
	conn     *grpc.ClientConn
	deadline time.Duration // of cluster-autoscaler: 5 s
}

func dial(t testing.TB, address, authority string) *client {
	t.Helper()
	trust, err := credentials.NewClientTLSFromFile(authority, "")
	if err != nil {
		t.Fatal(err)
	}
	return dialWith(t, address, trust)
}

func dialWith(t testing.TB, address string, trust credentials.TransportCredentials, more ...grpc.DialOption) *client {
	t.Helper()
	conn, err := grpc.NewClient(address, append(more, grpc.WithTransportCredentials(trust),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(plainCodec{}), grpc.MaxCallRecvMsgSize(128<<20), grpc.MaxCallSendMsgSize(2<<30-1)))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &client{conn, time.Minute} // the machine may be slow; the answers are the same
}

// ask makes one call.
func (c *client) ask(message []byte) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), c.deadline)
	defer cancel()
	var response []byte
	if err := c.conn.Invoke(ctx, method, message, &response); err != nil {
		return nil, err
	}
	return readResponse(response)
}

// readResponse yields the ids of an answer.
func readResponse(message []byte) ([]string, error) {
	ids := []string{}
	_, err := fields(message, func(number protowire.Number, bytes []byte, _ uint64, is protowire.Type) (bool, error) {
		if number != responseOptions || is != protowire.BytesType {
			return false, nil
		}
		id := ""
		_, err := fields(bytes, func(number protowire.Number, bytes []byte, _ uint64, is protowire.Type) (bool, error) {
			if number == optionGroup && is == protowire.BytesType {
				id = string(bytes)
			}
			return true, nil
		})
		ids = append(ids, id)
		return true, err
	})
	return ids, err
}

// filter is what cluster-autoscaler goes on with: its own options, by the ids of the answer. More than one of them go to the
// next expander, and in the end to chance.
func (c *client) filter(t testing.TB, options []offered, templates map[string]*v1.Node) []offered {
	t.Helper()
	ids, err := c.ask(encodeRequest(t, options, templates))
	if err != nil {
		return options
	}
	own := map[string]offered{}
	for _, o := range options {
		own[o.group] = o
	}
	kept := []offered{}
	for _, id := range ids {
		if o, ok := own[id]; ok {
			kept = append(kept, o)
		}
	}
	if len(kept) == 0 && len(ids) > 0 {
		return options
	}
	return kept
}
