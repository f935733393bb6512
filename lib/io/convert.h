/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts objects of Karpenter's old APIs, Provisioner (karpenter.sh/v1alpha5) and AWSNodeTemplate
 * (karpenter.k8s.aws/v1alpha1), to the current NodePool and EC2NodeClass.
 */
#pragma once

#include <io/reader.h>

/* The annotation in which a generated EC2NodeClass names its base class. It is removed once the class is completed. */
#define IO_BASE_CLASS "libkarp/base-node-class"

typedef struct io_converter {
    karp_reader *reader;
    trees *t; /* the reader's */
    io_decoder d;
    const char *kind;
    karp_str name;
    const io_place *place;
} io_converter;

/* Warns that each of these fields that `object` has is read but has no effect on decisions. `where` is put before its
 * name. */
karp_status io_no_effect_words(io_converter *c, const tree *object, const char *where, const char *fields);
/* Warns likewise about every member that neither list has. */
karp_status io_no_effect_unknown(io_converter *c, const tree *object, const char *where, const char *known,
                                 const char *idle);

/* The v1 spec of a node class, converted from a v1alpha1 spec: an AWSNodeTemplate's, or a Provisioner's inline
 * provider at the decoder's path. A failure that is not in c->d is in reader->error. */
karp_status io_convert_class_spec(io_converter *c, const tree *spec, const char *where, tree **out);

/* Renames old labels and annotations in any object of an input that has v1alpha5 objects. */
void io_rename_old(trees *t, const io_kind_info *info, tree *root);

/* Converts a v1beta1 NodePool in the reader's trees to v1, with a note on every changed value (convert_beta.c). */
karp_status io_convert_beta(karp_reader *reader, const io_kind_info *info, tree *root);

/* Whether the key is a label that EKS Auto Mode uses instead of one of Karpenter's. */
bool io_is_auto_mode(karp_str key);
/* Gives them Karpenter's names in the JSON of a pod. */
void io_auto_mode_rename(char *json, size_t length);
/* Renames the Auto Mode labels of an object in the reader's trees, if reader->clouds.auto_mode_here is set. Also adds
 * the label eks.amazonaws.com/compute-type to the template of an Auto Mode NodePool. */
karp_status io_convert_auto_mode(karp_reader *reader, const io_kind_info *info, tree *root);

/* Completes a generated EC2NodeClass from its base class (NULL = not in the input). */
void io_complete_class(trees *t, tree *root, const tree *base);
