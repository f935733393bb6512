/* SPDX-License-Identifier: Apache-2.0 */
/* What a Pod object says to the scheduler. */
#pragma once

#include <io/decode.h>
#include <kube/cluster.h>

/* Adds a class for pods like this one. `object` is the tree that `pod` was decoded from; both must stay valid. Objects
 * that rules refer to must have been added. */
uint32_t kube_class_add(kube_cluster *c, const karp_pod *pod, const tree *object);
/* Whether a node with these labels meets the term; fields name the node itself. */
bool kube_term_matches(const karp_node_term *term, const kube_fields *fields, const kube_node_spec *node);
/* The matchFields of a list's terms. `inside` = the member of each element that is its term; NULL = the element is. */
const kube_fields *kube_fields_read(io_decoder *d, const tree *list, size_t count, const char *inside);
