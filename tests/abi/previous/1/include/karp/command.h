/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file command.h  How to carry out a disruption command: what to do now, and when to look again.
 *
 * A command is a value. karp_command_begin() takes it out of a decision. karp_command_step() compares it with a
 * newer snapshot, and returns the actions to take and the new state of the command. The library acts on nothing and
 * remembers nothing. The caller carries out the actions in their order, keeps the new state, and calls again when the
 * advice says so. A caller that was stopped in between still has the old state. It gets the same advice and continues.
 * All actions but the creation of NodeClaims may be repeated without harm. karp_write_command() and karp_command_read()
 * (karp/io.h) make documents of states.
 *
 * An action counts as done unless the next step is told that it failed. Several threads may step different commands on
 * one snapshot. Everything in this file is since 1.0.
 */
#ifndef KARP_COMMAND_H
#define KARP_COMMAND_H

#include <karp/lifecycle.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Phases of a command. Numbers never change. */
enum {
    KARP_COMMAND_PHASE_VALIDATING = 1, /**< it waits until it is validated */
    KARP_COMMAND_PHASE_STARTING = 2, /**< its nodes are tainted, and its NodeClaims get a condition with the reason */
    KARP_COMMAND_PHASE_LAUNCHING = 3, /**< the NodeClaims of its replacements are created */
    KARP_COMMAND_PHASE_WAITING = 4, /**< in progress: its replacements are not initialized yet */
    KARP_COMMAND_PHASE_DELETING = 5, /**< the NodeClaims of its nodes are deleted */
    KARP_COMMAND_PHASE_DONE = 6, /**< the end: its nodes are deleted */
    KARP_COMMAND_PHASE_GIVEN_UP = 7 /**< the end: its nodes stay; `reason` says why */
};

/** The name of a phase, "Validating" and so on. "" for a number that is no phase. Lives as long as the library. */
KARP_API const char *karp_phase_name(uint32_t phase);

/**
 * How far the launch of a replacement is: to be created, created, seen in a snapshot, initialized. Numbers never
 * change.
 */
enum {
    KARP_REPLACEMENT_WANTED = 0,
    KARP_REPLACEMENT_CREATED = 1,
    KARP_REPLACEMENT_SEEN = 2,
    KARP_REPLACEMENT_INITIALIZED = 3
};

/** A node that the command removes. */
typedef struct karp_command_node {
    karp_str node;
    karp_str claim; /**< name of its NodeClaim */
} karp_command_node;

/** A node that the command launches in place of its nodes. */
typedef struct karp_replacement {
    /**
     * What the NodeClaim is made of. It has claim_requirements, but not `requirements`, no pods, and of the chosen type
     * only `choice`.
     */
    const karp_launch *launch;
    karp_str claim; /**< name of the NodeClaim; "" = it is not created yet */
    uint32_t progress; /**< KARP_REPLACEMENT_* */
    uint32_t reserved; /**< 0 */
} karp_replacement;

/** The state of a command, as plain values: any process can continue the command from them. */
typedef struct karp_command_state {
    size_t size;
    uint32_t method; /**< KARP_METHOD_* */
    uint32_t phase; /**< KARP_COMMAND_PHASE_* */
    uint32_t reason; /**< KARP_REASON_*: why it was given up; KARP_REASON_NONE otherwise */
    uint32_t reserved; /**< 0 */
    int64_t decided; /**< instant of the decision, in nanoseconds */
    int64_t validate_at; /**< instant at which it is validated; KARP_NO_TIME = it is not validated */
    int64_t started; /**< instant since which it is in progress; KARP_NO_TIME = it is not yet */
    double savings; /**< $/h */
    const karp_command_node *nodes; /**< in the order of the command, without those that stay after all */
    size_t node_count;
    const karp_replacement *replacements; /**< in the order of the command's launches */
    size_t replacement_count;
    const karp_str *receivers; /**< names of existing nodes that receive pods */
    size_t receiver_count;
} karp_command_state;

/** Results of actions of the step before that a snapshot does not show. Numbers never change. */
enum {
    KARP_OBSERVED_FAILED = 1, /**< object: name of the Node or NodeClaim for which an action failed */
    /** number: index of a replacement; object: name of the NodeClaim that was created for it */
    KARP_OBSERVED_CREATED = 2,
    KARP_OBSERVED_NOT_CREATED = 3, /**< number: index of a replacement whose NodeClaim could not be created */
    KARP_OBSERVED_GONE = 4 /**< object: name of a replacement's NodeClaim that no longer exists */
};

/** The result of an advised action. Input only. */
typedef struct karp_observation {
    uint32_t kind; /**< KARP_OBSERVED_* */
    uint32_t number; /**< as `kind` says; else 0 */
    karp_str object; /**< as `kind` says; else "" */
} karp_observation;

/** One step: the state after it, and the advice. Immutable; owns everything that it returns. */
typedef struct karp_step karp_step;

/**
 * Takes command @p command out of a decision of karp_disrupt(), or step @p command out of one of karp_repack(). Nothing
 * is to be done yet; the advice says when the first step is due. The caller owns *@p out (karp_step_free()). Errors:
 * NOT_FOUND (no such command), INVALID (a reboot has no steps), NOMEM.
 */
KARP_API karp_status karp_command_begin(const karp_decision *decision, size_t command, karp_step **out,
                                        karp_error *error);

/**
 * Makes one step on @p snapshot, which is newer than that of the step before. Of @p options (NULL = defaults),
 * `common->now` is the clock (0 = the snapshot's), and `in_progress` names the nodes of all other commands that are
 * being carried out. Their number decides how long this command may take. After the end (DONE, GIVEN_UP) nothing is
 * advised, and nothing changes.
 *
 * Validating: when the time has come, the command is validated as karp_disrupt_validate() does. A command of Emptiness
 * may lose nodes. A step of karp_repack() is valid while its nodes may be disrupted together, and their pods find
 * places with no more launches than it has, for less than the nodes cost.
 *
 * Starting: the nodes get the taint karpenter.sh/disrupted:NoSchedule, the NodeClaims the condition DisruptionReason.
 * If that fails for a node, a command that only deletes goes on with the other nodes. Any other command is given up,
 * and karp_advise_cleanup() removes what is left of it.
 *
 * Launching: a KARP_ACTION_CREATE_REPLACEMENT is advised for each replacement. If one fails, the command is given up;
 * NodeClaims that were created stay, unless quirk D-Q23 is off. Then the nodes are marked, the receivers nominated, and
 * the command is in progress.
 *
 * Waiting: when every replacement has been seen initialized, the NodeClaims of the nodes are deleted. If a replacement
 * is gone, or after max(10 min, min(1 h, 80 ms × nodes in progress)), the nodes are unmarked and untainted, and the
 * replacements stay. With quirk D-Q7 that time also counts against a command that has just succeeded. A deletion that
 * failed is advised again.
 *
 * The caller owns *@p out (karp_step_free()). Errors: INVALID (an impossible state, or an observation that fits no part
 * of it), those of karp_disrupt_validate().
 */
KARP_API karp_status karp_command_step(const karp_snapshot *snapshot, const karp_command_state *state,
                                       const karp_disrupt_options *options, const karp_observation *observed,
                                       size_t observed_count, karp_step **out, karp_error *error);

/**
 * Fills @p out, whose size the caller has set, with the state after the step. Borrowed from @p step. Errors: ABI_SIZE.
 */
KARP_API karp_status karp_step_state(const karp_step *step, karp_command_state *out);
/** What to do, in this order, and when to look again. karp_advice_finished() is 1 at the end. Borrowed from @p step. */
KARP_API const karp_advice *karp_step_advice(const karp_step *step);
/** Frees a step. NULL is allowed. */
KARP_API void karp_step_free(karp_step *step);

#ifdef __cplusplus
}
#endif
#endif
