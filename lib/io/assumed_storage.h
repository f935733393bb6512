/* SPDX-License-Identifier: Apache-2.0 */
/*
 * StorageClasses and PersistentVolumeClaims that manifests name and the input lacks. An input without any StorageClass
 * comes from no cluster, such as the output of helm template. Its classes are then assumed to bind a volume, in any
 * zone, when the first pod needs it.
 */
#pragma once

#include <io/reader.h>

typedef struct io_assumed_storage {
    bool on;
    io_table storage_classes; /* names of classes of unbound claims */
    io_table volume_claims; /* "namespace/name" -> 1 = filled in; 0 = only named by a pod */
} io_assumed_storage;

struct io_filler;

void io_assumed_init(io_assumed_storage *assumed, karp_context *context);
void io_assumed_free(io_assumed_storage *assumed);
/* Notes a claim that is filled in. One without a class gets the assumed default class. Failures are recorded in `t`. */
void io_assume_class(io_assumed_storage *assumed, trees *t, tree *claim);
/* Notes the claims of a pod that is not on a node. false = out of memory. */
bool io_assume_claims(io_assumed_storage *assumed, const tree *pod);
/* Adds what was noted and the input lacks, with one note. */
karp_status io_add_assumed(struct io_filler *filler);
