/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file recording.h  Recordings of a cluster, and whether its decisions are those that are predicted (libkarp-io).
 *
 * A recording is text: a line of JSON for each time at which the cluster was looked at (docs/recordings.md). It is a
 * trace for karp_replay(), too.
 *
 * Unstable: a minor version may change what is in this file.
 */
#ifndef KARP_RECORDING_H
#define KARP_RECORDING_H

#include <karp/replay.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Knows the cluster as it was recorded last. One thread at a time. Since 1.0. */
typedef struct karp_recorder karp_recorder;

/** A new recorder; *@p out is the caller's. Errors: INVALID, NOMEM. Since 1.0. */
KARP_API karp_status karp_recorder_new(karp_context *context, karp_recorder **out, karp_error *error);
/** NULL is allowed. Since 1.0. */
KARP_API void karp_recorder_free(karp_recorder *recorder);

/**
 * What all objects of the cluster are at the instant @p now: @p documents are JSON as `kubectl get -o json` writes it,
 * each an object or a list. *@p out receives the line to append, with its line feed: all objects if @p whole is 1 or
 * this is the first call, otherwise what has changed; "" = nothing, and less than a minute has passed since the last
 * line. What no decision reads is left out: values of environment variables, commands, probes, images. Objects without
 * a kind or a name are errors. After a failure the recorder is as before, and @p out unchanged. Errors: IO, SYNTAX,
 * INVALID (also @p now is not after the last line), LIMIT, RANGE, NOMEM, CANCELED. Since 1.0.
 */
KARP_API karp_status karp_recorder_take(karp_recorder *recorder, const karp_replay_document *documents, size_t count,
                                        int64_t now, uint32_t whole, karp_text *out, karp_error *error);

/**
 * Likewise, what has happened until the instant @p now: each of @p events is one, as `kubectl get --watch-only
 * --output-watch-events -o json` writes it, in the order of each kind. What no event names is as before. An event that
 * is older than the object that karp_recorder_take() has seen, by resourceVersion, is left out. After a failure take
 * all again. Errors: as karp_recorder_take(); INVALID also before the first list. Since 1.0.
 */
KARP_API karp_status karp_recorder_watch(karp_recorder *recorder, const karp_replay_document *events, size_t count,
                                         int64_t now, uint32_t whole, karp_text *out, karp_error *error);

/**
 * Compares every decision of Karpenter in a recording with the one that is made for the recorded cluster just before
 * it: launches with karp_provision(), disruptions with karp_disrupt(). Of @p options are used: `traces`, the parts of
 * one recording in the order of time; `catalogue`, `region`, `feature_gates` and `decision`. *@p differences (may be
 * NULL) receives how many decisions differ. @p write may be NULL. Formats: JSON, TEXT. Errors: IO, SYNTAX, INVALID,
 * LIMIT, RANGE, UNSUPPORTED, those of karp_reader_add() and of decisions, NOMEM, CANCELED, ABI_*. Any thread. Since
 * 1.0.
 */
KARP_API karp_status karp_twin(karp_context *context, const karp_replay_options *options,
                               const karp_write_options *write, karp_text *out, size_t *differences, karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
