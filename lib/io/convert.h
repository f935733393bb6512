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
    io_decoder d;
    const char *kind;
    karp_str name;
    const io_place *place;
} io_converter;

/* Warns that a field is read but moves no decision. */
karp_status io_no_effect(io_converter *c, const char *field, const char *why);
/* Warns about every member of `object` that is in neither list; `where` comes before its name. */
karp_status io_no_effect_unknown(io_converter *c, const json_t *object, const char *where, const char *const *known);

/* The v1 spec of a node class from a v1alpha1 one (an AWSNodeTemplate's, or a Provisioner's inline provider, at the
 * decoder's path). NULL = failed, in c->d or reader->error. */
json_t *io_convert_class_spec(io_converter *c, const json_t *spec, const char *where);

/* Labels and annotations that were renamed since, in any object beside v1alpha5 ones. false = no memory. */
bool io_rename_old(const io_kind_info *info, json_t *tree);

/* Completes a generated EC2NodeClass from the one it is based on (NULL = not in the input). false = no memory. */
bool io_complete_class(json_t *tree, const json_t *base);

#endif
