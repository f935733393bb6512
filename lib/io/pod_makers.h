/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of kinds that are not read, but create pods: decisions about the rest of the input are incomplete. */
#pragma once

#include <io/reader.h>

/* What an object's pods depend on besides the object. */
typedef enum io_depends_on {
    IO_ON_OPERATOR,
    IO_ON_RENDERING,
    IO_ON_SCALING /* it creates none itself: it changes the replicas of a workload */
} io_depends_on;

/* Kinds whose operators create pods, sorted by group. Those that have a pod template would be recognised by it as well.
 */
typedef struct io_maker {
    const char *group, *kinds; /* kinds are separated by spaces */
    io_depends_on on;
} io_maker;
extern const io_maker io_makers[];
extern const size_t io_maker_count;

/* harmless_kinds.c: kinds that create no pods and change no number of them. */
typedef struct io_harmless {
    const char *group, *kinds;
} io_harmless;
extern const io_harmless io_harmless_kinds[];
extern const size_t io_harmless_count;
bool io_is_harmless(karp_str api_version, karp_str kind);
/* Whether it is an autoscaler that is not modelled. */
bool io_is_scaler(const tree *root);

/* Whether an object of a kind that is not read creates pods: the kind is known for it, or the object has a pod
 * template, resources of containers, or a number of replicas. */
bool io_makes_pods(const tree *root);

/* Records the controllers of an object that is not a pod. false = out of memory. */
bool io_note_made(karp_reader *reader, const tree *root);
/* Whether the input contains pods or other objects that were made from the object. */
bool io_has_made(const karp_reader *reader, const io_deferred *maker);
/* Reports the objects that create pods, and one object of each kind of which nothing is known, except those whose pods
 * or other objects are in the input. Called after everything has been read. Errors: NOMEM. */
karp_status io_settle_makers(karp_reader *reader);
