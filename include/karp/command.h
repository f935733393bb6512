/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file command.h  Carrying a disruption command out: what to do now, and when to look again.
 *
 * A command is a value. karp_command_begin() takes it out of a decision, and karp_command_step() looks at it together with a
 * newer snapshot and says what is to be done and what the command has become. Nothing is acted on and nothing is remembered:
 * the caller carries the actions out, in their order, then keeps the new state, and comes back when it is told to. A caller
 * that ends in between has the old state and is advised the same again, so that it can go on; all actions but the creation of
 * NodeClaims may be repeated without harm. karp_write_command() and karp_command_read() (karp/io.h) make documents of states.
 *
 * An action counts as done unless the next step is told that it failed.
 */
#ifndef KARP_COMMAND_H
#define KARP_COMMAND_H

#include <karp/lifecycle.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where a command is on its way. Numbers never change. */
enum {
    KARP_PHASE_VALIDATING = 1, /**< waits, and is looked at once more then */
    KARP_PHASE_STARTING = 2, /**< its nodes are tainted and its NodeClaims told why */
    KARP_PHASE_LAUNCHING = 3, /**< its replacements are created */
    KARP_PHASE_WAITING = 4, /**< in progress: its replacements become initialised */
    KARP_PHASE_DELETING = 5, /**< its NodeClaims are deleted */
    KARP_PHASE_DONE = 6, /**< the end: the nodes go */
    KARP_PHASE_GIVEN_UP = 7 /**< the end: the nodes stay; `reason` says why */
};

/** "Validating" … ; "" for a number that is none. */
KARP_API const char *karp_phase_name(uint32_t phase);

/** How far a replacement is. Numbers never change. */
enum {
    KARP_REPLACEMENT_WANTED = 0,
    KARP_REPLACEMENT_CREATED = 1,
    KARP_REPLACEMENT_SEEN = 2,
    KARP_REPLACEMENT_INITIALIZED = 3
};

/** A node that goes. */
typedef struct karp_command_node {
    karp_str node;
    karp_str claim; /**< its NodeClaim */
} karp_command_node;

/** A node that takes the place of those that go. */
typedef struct karp_replacement {
    /** What the NodeClaim is made of: claim_requirements, no other; no pods, nothing of the chosen type but `choice`. */
    const karp_launch *launch;
    karp_str claim; /**< the NodeClaim's name once it is created; "" before */
    uint32_t progress; /**< KARP_REPLACEMENT_* */
    uint32_t reserved;
} karp_replacement;

/** A command at one moment, as plain values: whoever has them can step it. */
typedef struct karp_command_state {
    size_t size;
    uint32_t method; /**< KARP_METHOD_* */
    uint32_t phase; /**< KARP_PHASE_* */
    uint32_t reason; /**< KARP_REASON_*: why it was given up; NONE otherwise */
    uint32_t reserved;
    int64_t decided; /**< instant of the decision */
    int64_t validate_at; /**< instant; KARP_NO_TIME = it is not validated */
    int64_t started; /**< instant since which it is in progress; KARP_NO_TIME before */
    double savings; /**< per hour */
    const karp_command_node *nodes; /**< in the order of the command; those that stay after all are dropped */
    size_t node_count;
    const karp_replacement *replacements;
    size_t replacement_count;
    const karp_str *receivers; /**< existing nodes that receive pods */
    size_t receiver_count;
} karp_command_state;

/** What became of the actions of the step before, as far as the snapshot cannot tell. Numbers never change. */
enum {
    KARP_OBSERVED_FAILED = 1, /**< object: Node or NodeClaim with which an action failed */
    KARP_OBSERVED_CREATED =
        2, /**< number: index of a replacement; object: name of the NodeClaim that was created for it */
    KARP_OBSERVED_NOT_CREATED = 3, /**< number: index of a replacement whose NodeClaim could not be created */
    KARP_OBSERVED_GONE = 4 /**< object: NodeClaim of a replacement that does not exist any more */
};

/** What has been seen of an advised action. */
typedef struct karp_observation {
    uint32_t kind; /**< KARP_OBSERVED_* */
    uint32_t number;
    karp_str object;
} karp_observation;

/** One step: the state after it and the advice. Immutable; owns what it shows. */
typedef struct karp_step karp_step;

/**
 * Takes command @p command out of a decision of karp_disrupt() or step @p command out of one of karp_repack(). There is nothing to do yet; the advice says when the first
 * step is due. Errors: NOT_FOUND (no such command), INVALID (a reboot takes no steps), NOMEM.
 */
KARP_API karp_status karp_command_begin(const karp_decision *decision, size_t command, karp_step **out,
                                        karp_error *error);

/**
 * One step on @p snapshot, which is newer than the one before. `common->now` of @p options (NULL = defaults) is the clock, 0 = the
 * snapshot's; `in_progress` names the nodes of all other commands that are being carried out, their number decides how long this
 * one may take. After the end (DONE, GIVEN_UP) nothing is advised and nothing changes.
 *
 * Validating: as karp_disrupt_validate() once the time has come; an emptiness command may lose nodes. A step of karp_repack()
 * holds while its nodes may go together, empty ones among them, and their pods find places with no more launches than it has, for
 * less than the nodes cost. Starting: nodes get the
 * taint karpenter.sh/disrupted:NoSchedule, claims the condition DisruptionReason. When that fails for a node, a command that
 * only deletes goes on with the others, any other is given up; karp_advise_cleanup() takes back what is left. Launching:
 * KARP_ACTION_CREATE_REPLACEMENT for each; when one fails the command is given up, and what was created stays unless quirk
 * D-Q23 is off. Then the nodes are marked, the receivers nominated, and the command is in progress. Waiting: when every
 * replacement has been seen initialised the claims are deleted. When a replacement is gone, or after max(10 min, min(1 h,
 * 80 ms × nodes in progress)), the nodes are unmarked and untainted; replacements stay. With D-Q7 the time counts even
 * against a command that has just succeeded. Claims whose deletion failed are advised again.
 *
 * Errors: INVALID (a state that cannot be, an observation that fits no part of it), NOMEM, CANCELED, ABI_*.
 */
KARP_API karp_status karp_command_step(const karp_snapshot *snapshot, const karp_command_state *state,
                                       const karp_disrupt_options *options, const karp_observation *observed,
                                       size_t observed_count, karp_step **out, karp_error *error);

/** The state after the step. Borrowed. */
KARP_API karp_status karp_step_state(const karp_step *step, karp_command_state *out);
/** What to do, in this order; when to look again; karp_advice_finished() is 1 at the end. Borrowed. */
KARP_API const karp_advice *karp_step_advice(const karp_step *step);
/** NULL is allowed. */
KARP_API void karp_step_free(karp_step *step);

#ifdef __cplusplus
}
#endif
#endif
