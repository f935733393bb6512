/* SPDX-License-Identifier: Apache-2.0 */
/* Function tables of plugins: checks and copies them, whatever their origin. And what the built-in plugins share. */
#pragma once

#include <base/admit.h>
#include <providers/scratch.h>

struct tree; /* json/tree.h */

/* Copies those members of the table that this library knows; the rest of *copy is zero. */
karp_status plugin_check(const karp_provider_plugin *given, karp_provider_plugin *copy, karp_error *error);

/* Opens a shared object and checks its table. *object is for plugin_unload(). */
karp_status plugin_load(const char *path, void **object, karp_provider_plugin *copy, karp_error *error);
void plugin_unload(void *object); /* NULL is permitted */

/* ---- parts of the built-in plugins ------------------------------------------------------------------------------- */

/* What their node classes begin with. */
typedef struct plugin_class {
    scratch s; /* memory of the rest */
    uint64_t hash;
} plugin_class;

/* The answers of a plugin that do not depend on its facts. */
typedef struct plugin_kind {
    size_t class_bytes;
    /* Reads into class_bytes, and frees on a failure what it has begun. */
    karp_status (*read)(karp_context *context, const struct tree *root, void *out, karp_error *error);
    const char *hash_version;
    const char *hash_key, *hash_version_key; /* annotations of its nodes */
    void (*labels)(karp_provider_labels *labels);
    const karp_repair_policy *policies;
    size_t policy_count;
} plugin_kind;

/* The first member of their handles. */
typedef struct plugin_handle {
    karp_context *context; /* on the host's allocator */
    size_t bytes; /* of the whole handle */
    uint64_t generation;
    const plugin_kind *kind;
} plugin_handle;

/* A zeroed handle of this size, with a context of its own. NULL = out of memory. */
void *plugin_handle_new(const karp_allocator *allocator, size_t bytes, const plugin_kind *kind);
/* Frees the handle and its context. */
void plugin_handle_free(plugin_handle *handle);

/* Calls of the table. */
uint64_t plugin_generation(const void *handle);
uint32_t plugin_class_parse(void *handle, const karp_provider_document *document, void **node_class,
                            karp_provider_problem *problem);
void plugin_class_free(void *handle, void *node_class);
uint32_t plugin_class_hash(void *handle, const void *node_class, const karp_provider_memory *memory, karp_str *version,
                           karp_str *hash, karp_provider_problem *problem);
uint32_t plugin_labels(const void *handle, karp_provider_labels *labels, karp_provider_problem *problem);
uint32_t plugin_repair_policies(const void *handle, const karp_repair_policy **policies, size_t *count);

/* A class from its tree, which it neither changes nor keeps. */
uint32_t plugin_read_class(void *handle, const struct tree *root, void **node_class, karp_provider_problem *problem);
/* Whether the node has a hash of the same version, and it is another one. */
bool plugin_class_changed(const void *handle, const void *node_class, const karp_provider_node *node);
/* Whether the text is the hash in decimal digits. */
bool plugin_is_hash(karp_str text, uint64_t hash);
