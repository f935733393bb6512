/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What changes pods when they are created, and is not evaluated: policies, webhooks, injectors of sidecars. Pods that
 * an API server has written are changed already.
 */
#pragma once

#include <io/reader.h>

/* An object of a kind that is not read. A policy that changes what decisions read in pods is not understood; of a
 * webhook for new pods there is a note. *told = there was one. Errors: NOMEM. */
karp_status io_note_mutator(karp_reader *reader, const tree *root, const io_place *place, bool *told);
/* A note if a Namespace, or the template of pods, asks for a sidecar that the template does not have. Errors: NOMEM. */
karp_status io_note_injected(karp_reader *reader, const io_deferred *w, const tree *metadata, const tree *spec);
