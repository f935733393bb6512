/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of 2022, Provisioner (karpenter.sh/v1alpha5) and AWSNodeTemplate (karpenter.k8s.aws/v1alpha1), as the
 * NodePool and EC2NodeClass of today. */
#ifndef IO_CONVERT_H
#define IO_CONVERT_H

#include <io/reader.h>

/* Where a generated EC2NodeClass names the one it completes; taken off again when that is done. */
#define IO_BASE_CLASS "libkarp/base-node-class"

typedef struct io_converter {
    karp_reader *reader;
    trees *t; /* the reader's */
    io_decoder d;
    const char *kind;
    karp_str name;
    const io_place *place;
} io_converter;

/* Warns that a field is read but moves no decision. */
karp_status io_no_effect(io_converter *c, const char *field, const char *why);
/* Warns about every member of `object` that is in neither list; `where` comes before its name. */
karp_status io_no_effect_unknown(io_converter *c, const tree *object, const char *where, const char *const *known);

/* The v1 spec of a node class from a v1alpha1 one (an AWSNodeTemplate's, or a Provisioner's inline provider, at the
 * decoder's path). A failure that is not in c->d is in
 * reader->error. */
karp_status io_convert_class_spec(io_converter *c, const tree *spec, const char *where, tree **out);

/* Labels and annotations that were renamed since, in any object beside v1alpha5 ones. */
void io_rename_old(trees *t, const io_kind_info *info, tree *root);

/* A NodePool of v1beta1 in the reader's trees becomes one of v1; every value that changes is noted (convert_beta.c). */
karp_status io_convert_beta(karp_reader *reader, const io_kind_info *info, tree *root);

/* A label that EKS Auto Mode has in the place of one of Karpenter's. */
bool io_is_auto_mode(karp_str key);
/* Renames such labels of an object in the reader's trees, of which reader->auto_mode_here tells. */
karp_status io_convert_auto_mode(karp_reader *reader, const io_kind_info *info, tree *root);

/* Completes a generated EC2NodeClass from the one it is based on (NULL = not in the input). */
void io_complete_class(trees *t, tree *root, const tree *base);

#endif
