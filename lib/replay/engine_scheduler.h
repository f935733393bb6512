/* SPDX-License-Identifier: Apache-2.0 */
/* kube-scheduler: a mirror of the cluster in lib/kube, which chooses the nodes of pods. */
#pragma once

#include <kube/attempt.h>
#include <replay/common.h>

struct replay_scheduler {
    bool on; /* option scheduler is not "simple" */
    kube_profile profile; /* of all pods, without a configuration */
    bool mirrors; /* all classes of pods are known, and the nodes and pods so far */
    kube_cluster cluster;
    kube_attempt attempt;
};

/* Reads the objects. Afterwards each shape is added, in the order of its number, with the tree it was decoded from. */
karp_status binding_begin(engine *e);
void binding_shape(engine *e, uint32_t shape, const tree *object);
/* Takes over the nodes and pods so far; `state`: those of a replay that was saved, or NULL. */
karp_status binding_mirror(engine *e, const tree *state);
tree *binding_state(engine *e, trees *t);
void binding_free(engine *e);

/* The node changed in any way. */
void binding_node(engine *e, uint32_t node);
void binding_retaint(engine *e, uint32_t node); /* its taints did */
void binding_place(engine *e, uint32_t pod, uint32_t node);
void binding_leave(engine *e, uint32_t pod);
void binding_forget(engine *e, uint32_t pod); /* the pod has ended */

/* Whether it chooses the node of the pod. Otherwise the engine does, or karp_provision(). */
bool binding_handles(const engine *e, uint32_t pod);
/* REPLAY_NONE = no node takes the pod. May preempt pods of lower priority. */
uint32_t binding_choose(engine *e, uint32_t pod);
bool binding_fits(engine *e, uint32_t pod, uint32_t node);
