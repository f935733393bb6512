/* SPDX-License-Identifier: Apache-2.0 */
/* Objects other than nodes and pods that the scheduler reads. */
#pragma once

#include <io/decode.h>
#include <kube/cluster.h>

void kube_objects_init(kube_objects *o, karp_context *context);
void kube_objects_free(kube_objects *o, karp_context *context);
/* Reads an object of any kind; kinds that the scheduler does not read, nodes and pods are ignored. The tree must stay
 * valid. */
void kube_object_add(kube_cluster *c, const tree *object);
void kube_decoded(kube_cluster *c, const io_decoder *d); /* takes over a failure */
bool kube_namespace_selected(const kube_cluster *c, karp_str namespace_, const karp_selector *selector);
/* The rules that the Services and the controller of a pod make for default spread constraints, one after another, in
 * one rule. false = nothing selects the pod. */
bool kube_selected_by(kube_cluster *c, const karp_pod *pod, kube_rule *out);
/* The number of the claim; KUBE_NONE = there is no such claim. */
uint32_t kube_claim_find(kube_cluster *c, karp_str namespace_, karp_str name);
/* NULL = there is no such object. */
const kube_volume *kube_volume_find(const kube_cluster *c, karp_str name);
const karp_storage_class *kube_storage_class_find(const kube_cluster *c, karp_str name);
const karp_csi_node *kube_csi_node_find(const kube_cluster *c, karp_str name);
const kube_priority *kube_priority_find(const kube_cluster *c, karp_str name);
