/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of Kubernetes objects, made as trees. Failures are recorded in the `trees`. */
#pragma once

#include <json/tree.h>

#include <karp/objects.h>

/* A new object with kind, namespace ("" = none) and name. */
tree *io_new_object(trees *t, const char *api_version, const char *kind, karp_str namespace_, karp_str name);
/* A new Node or NodeClaim with spec and status; its name is its providerID as well. */
tree *io_new_node(trees *t, bool claim, karp_str name, int64_t created);

/* Does nothing for KARP_NO_TIME. */
void io_set_time(trees *t, tree *object, const char *name, int64_t instant);
void io_set_labels(trees *t, tree *map, const karp_label *list, size_t count);
/* The map of names and quantities. */
tree *io_new_amounts(trees *t, const karp_resource *list, size_t count);
/* `empty_value`: a value that is empty is written too. */
tree *io_new_taint(trees *t, const karp_taint *taint, bool empty_value);
tree *io_new_taints(trees *t, const karp_taint *list, size_t count, bool empty_value);

/* An empty reason and KARP_NO_TIME are left out. */
void io_add_condition(trees *t, tree *list, const char *type, const char *status, const char *reason, int64_t when);
/* The status of the condition with that type; "" = there is none. */
karp_str io_condition_status(const tree *list, const char *type);
/* The pod has lost its node and its status: since `when` it is pending and known to be unschedulable. */
void io_set_pending(trees *t, tree *pod, int64_t when);
