// SPDX-License-Identifier: Apache-2.0

// Package karp decides which nodes a Kubernetes cluster should launch for its pending pods, and which to terminate, as
// Karpenter does. It is libkarp behind Go types: a [Builder] takes the cluster's objects, a [Snapshot] is what they make,
// checked and immutable, and a [Decision] is an answer about it.
//
//	builder, err := karp.NewBuilder(nil)
//	...
//	defer builder.Close()
//	err = builder.AddPod(&karp.Pod{...})
//	snapshot, err := builder.Finish()
//	...
//	defer snapshot.Close()
//	plan, err := snapshot.Provision(ctx, nil)
//
// Everything is copied on the way in and on the way out: the library keeps no pointer of Go's, and what a decision shows
// stays valid after Close. A Snapshot, a Decision and a Catalogue may be used by several goroutines at once; a Builder
// serialises its calls. Using any of them after Close is [ErrClosed]. What is not closed is freed when it is collected.
//
// A context that is cancelled ends a decision within a few steps; the error then is [ErrCanceled] and the context's own.
// A pod that fits nowhere is part of the decision, not an error.
package karp
