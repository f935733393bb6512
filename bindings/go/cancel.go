// SPDX-License-Identifier: Apache-2.0

package karp

/*
#include <stdint.h>
#include <stdlib.h>

#include "c.h"

// Asked by the library now and then; the word is set by Go.
static int32_t karp_go_stop(void *word) { return __atomic_load_n((int32_t *)word, __ATOMIC_RELAXED); }

static void karp_go_watch(karp_options *options, void *word)
{
	options->should_stop = karp_go_stop;
	options->stop_user = word;
}

static void karp_go_watch_fit(karp_fit_request *request, void *word)
{
	request->should_stop = karp_go_stop;
	request->stop_user = word;
}
*/
import "C"

import (
	"context"
	"errors"
	"sync/atomic"
	"unsafe"
)

// A watch carries a context's end to a call of the library: the call polls a word that the context sets, without ever
// calling Go.
type watch struct {
	ctx  context.Context
	word unsafe.Pointer // C memory; nil for a context that cannot end
	stop func() bool
	done chan struct{}
}

func watching(ctx context.Context, options *C.karp_options) *watch {
	return watchingFor(ctx, func(word unsafe.Pointer) { C.karp_go_watch(options, word) })
}

func watchingFit(ctx context.Context, request *C.karp_fit_request) *watch {
	return watchingFor(ctx, func(word unsafe.Pointer) { C.karp_go_watch_fit(request, word) })
}

func watchingFor(ctx context.Context, tell func(word unsafe.Pointer)) *watch {
	w := &watch{ctx: ctx}
	if ctx == nil || ctx.Done() == nil {
		return w
	}
	w.word = C.calloc(1, 4)
	w.done = make(chan struct{})
	if ctx.Err() != nil {
		// AfterFunc runs on a goroutine of its own, maybe only after a short call.
		atomic.StoreInt32((*int32)(w.word), 1)
	}
	w.stop = context.AfterFunc(ctx, func() {
		atomic.StoreInt32((*int32)(w.word), 1)
		close(w.done)
	})
	tell(w.word)
	return w
}

// end is called after the call, and adds the context's own error to that of a call it has cancelled.
func (w *watch) end(err error) error {
	if w.word == nil {
		return err
	}
	if !w.stop() {
		<-w.done
	}
	C.free(w.word)
	var e *Error
	if errors.As(err, &e) && e.Status == ErrCanceled {
		e.Cause = context.Cause(w.ctx)
	}
	return err
}
