/* SPDX-License-Identifier: Apache-2.0 */
/* An open provider, and the host's calls of its plugin. Every call, built-in or loaded, passes through here. */
#pragma once

#include <base/error.h>
#include <providers/plugin.h>

/* Instance types from the plugin, kept as long as nothing changes. */
typedef struct provider_types {
    karp_catalogue *catalogue; /* NULL = not yet */
    uint64_t generation;
} provider_types;

struct karp_provider_class {
    karp_provider *provider;
    void *data; /* the plugin's data */
    char *text; /* NULL = the plugin compares classes itself, and was given a tree */
    size_t text_length;
    provider_types types;
    karp_provider_class *next; /* in the provider's list */
};

struct karp_provider {
    karp_context *context;
    karp_catalogue *keep_alive; /* an empty catalogue, which keeps the context alive */
    karp_provider_plugin plugin;
    void *object; /* shared object; NULL = built in */
    void *handle;
    karp_provider_problem problem;
    karp_provider_class *node_classes;
    provider_types plain; /* types without a node class */
};

/* Opens a checked table. Takes over the reference to `object`, also on failure. */
karp_status provider_open(karp_context *context, const karp_provider_plugin *plugin, void *object,
                          const karp_provider_options *options, karp_provider **out, karp_error *error);

/* As karp_provider_class_new(), from the document's tree. Only plugins that are not built in get the text of it. */
karp_status provider_class_of_tree(karp_provider *provider, karp_str name, const struct tree *root,
                                   karp_provider_class **out, karp_error *error);

/* Before and after a call of the plugin: clears *problem, and converts it to an error. */
karp_provider_problem *provider_new_problem(karp_provider *p);
karp_status provider_answer(karp_provider *p, uint32_t kind, karp_error *error);
/* The plugin returned an invalid result; likewise, the plugin lacks a call. */
karp_status provider_bad_answer(const karp_provider *p, karp_error *error, const char *what);
karp_status provider_lacks(const karp_provider *p, karp_error *error, const char *what);

/* The members of these structs in the first version. */
#define FIRST_PROVIDER_LAUNCH SIZE_THROUGH(karp_provider_launch, tenancy)
#define FIRST_PROVIDER_NODE SIZE_THROUGH(karp_provider_node, launched)

/* Converts the caller's launch to this library's version of the struct, which plugins receive. */
static inline karp_status provider_launch_check(const karp_provider_launch *given, karp_provider_launch *own,
                                                karp_error *error)
{
    return struct_check(given, sizeof *own, FIRST_PROVIDER_LAUNCH, own, "karp_provider_launch", error);
}

static inline karp_status provider_node_check_size(const karp_provider_node *out, karp_error *error)
{
    return struct_check_size(out, FIRST_PROVIDER_NODE, "karp_provider_node", error);
}

static inline karp_status provider_node_give(karp_provider_node *out, const karp_provider_node *made)
{
    return struct_give(out, made, sizeof *made, FIRST_PROVIDER_NODE);
}

static inline const void *provider_class_data(const karp_provider_class *node_class)
{
    return node_class ? node_class->data : NULL;
}
