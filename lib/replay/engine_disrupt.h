/* SPDX-License-Identifier: Apache-2.0 */
/* Disruption: passes, validation, commands. */
#pragma once

#include <replay/engine_nodes.h>

/* A disruption from its decision to its end. */
typedef struct replay_command {
    uint32_t method;
    uint32_t *nodes, *replacements;
    uint32_t *receivers; /* existing nodes for which its pods are planned; some may have ended */
    size_t node_count, dropped; /* nodes that validation dropped are at the end */
    size_t launch_count, replacement_count, receiver_count;
    arena memory; /* of the launches of a decision; those of a document are in the engine's */
    karp_launch *launches;
    int64_t (*amounts)[RESOURCES_MOST]; /* by launch: the requests of its pods */
    uint32_t reason; /* KARP_REASON_*: why it is not valid */
    int64_t drain_limit; /* that of repair */
    int64_t started_at; /* since then the pods of its nodes are planned for others */
    bool terminates_first;
    bool started, over;
} replay_command;

struct replay_disruption {
    uint32_t *young; /* nodes that may become consolidatable as time passes, unless `review_all` */
    uint32_t *changing; /* scratch space */
    size_t young_count, young_capacity, changing_count, changing_capacity;
    bool review_all; /* pools were read */
    int64_t pass_due; /* KARP_NO_TIME = none is scheduled */
    uint32_t validating; /* commands that await validation: no pass takes place meanwhile */
    uint64_t changes, planned_changes; /* number of changes of the cluster: now; when the next pass was scheduled */
    karp_memory memory; /* `changed`: the last change of the cluster that matters to consolidation */
    int64_t judged; /* `memory.changed` in the last pass */
    int64_t last_pass; /* the passes are every interval after it */
    int64_t look_again; /* when a budget changes; KARP_NO_TIME = none */
    replay_command *commands;
    size_t command_count, command_capacity, first_command;
};

void disrupt_begin(engine *e); /* chooses the time of the passes */
/* A pod was bound or deleted, a node was launched, initialised, marked or has ended, or an object changed. Nothing else
 * lets a method that found nothing look again. */
void disrupt_changed(engine *e);
void disrupt_plan(engine *e); /* schedules the next pass, if there is anything to evaluate */
void disrupt_pass(engine *e);
/* Determines which nodes are consolidatable now. Returns whether a pass could select one of them or a drifted node. */
bool disrupt_conditions(engine *e);
void disrupt_young(engine *e, uint32_t node); /* the node may become consolidatable as time passes */
int64_t disrupt_consolidatable_at(const engine *e, const replay_node *n); /* KARP_NO_TIME = never */
void disrupt_validate(engine *e, uint32_t command);
void disrupt_replacement_ready(engine *e, uint32_t node);
void disrupt_node_gone(engine *e, uint32_t node);
void disrupt_free(engine *e);

/* Adds the command to the list; returns its number, or REPLAY_NONE after a failure. */
uint32_t disrupt_note(engine *e, const karp_command *command);
