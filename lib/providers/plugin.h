/* SPDX-License-Identifier: Apache-2.0 */
/* Function tables of plugins: checks and copies them, whatever their origin. And what the built-in plugins share. */
#ifndef PROVIDERS_PLUGIN_H
#define PROVIDERS_PLUGIN_H

#include <providers/scratch.h>

struct tree; /* json/tree.h */

/* Copies those members of the table that this library knows; the rest of *copy is zero. */
karp_status plugin_check(const karp_provider_plugin *given, karp_provider_plugin *copy, karp_error *error);

/* Opens a shared object and checks its table. *object is for plugin_unload(). */
karp_status plugin_load(const char *path, void **object, karp_provider_plugin *copy, karp_error *error);
void plugin_unload(void *object); /* NULL is permitted */

/* Reads a node class from its tree, which it neither changes nor keeps. */
typedef uint32_t (*plugin_read_class)(void *handle, const struct tree *root, void **node_class,
                                      karp_provider_problem *problem);

/* ---- parts of the built-in plugins ------------------------------------------------------------------------------- */

/* The first member of their handles. */
typedef struct plugin_handle {
    karp_context *context; /* on the host's allocator */
    size_t bytes; /* of the whole handle */
    uint64_t generation;
} plugin_handle;

/* A zeroed handle of this size, with a context of its own. NULL = out of memory. */
void *plugin_handle_new(const karp_allocator *allocator, size_t bytes);
/* Frees the handle and its context. */
void plugin_handle_free(plugin_handle *handle);
/* A call of the table. */
uint64_t plugin_generation(const void *handle);

/* The answer to the call class_parse. */
uint32_t plugin_class_parse(void *handle, const karp_provider_document *document, plugin_read_class read,
                            void **node_class, karp_provider_problem *problem);
/* The answer to the call class_hash. */
uint32_t plugin_give_hash(const void *node_class, uint64_t own, const char *own_version,
                          const karp_provider_memory *memory, karp_str *version, karp_str *hash,
                          karp_provider_problem *problem);
/* Whether the text is the hash in decimal digits. */
bool plugin_is_hash(karp_str text, uint64_t hash);
/* The value of a label or an annotation; "" = there is none. */
karp_str plugin_value_of(const karp_label *list, size_t count, const char *key);

#endif
