/* SPDX-License-Identifier: Apache-2.0 */
/* A configuration of kube-scheduler: a document of kind KubeSchedulerConfiguration. */
#pragma once

#include <io/decode.h>
#include <kube/cluster.h>

typedef struct kube_config {
    karp_reader *reader; /* owns the texts */
    arena memory;
    kube_profile *profiles;
    size_t count;
    uint32_t minor; /* of the version of kube-scheduler */
    bool met; /* the document */
} kube_config;

/* Reads the file, or `text` if its ptr is not NULL. What is not modelled is UNSUPPORTED, and what kube-scheduler
 * refuses is INVALID, with the line and the field. Errors: IO, SYNTAX, INVALID, UNSUPPORTED, LIMIT, NOMEM. The caller
 * frees it even after a failure. */
karp_status kube_config_read(kube_config *c, karp_context *context, karp_str name, karp_str text, uint32_t minor,
                             karp_error *error);
void kube_config_free(kube_config *c);

/* ---- between config.c, config_plugins.c and config_args.c */

/* Any member that is not in the list, whose names are separated by a space, is a failure. */
void kube_config_members(io_decoder *d, const tree *object, const char *known);
void kube_config_plugins(io_decoder *d, const tree *plugins, kube_profile *p);
void kube_config_args(io_decoder *d, const tree *list, kube_profile *p);
