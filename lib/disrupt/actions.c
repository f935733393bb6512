/* SPDX-License-Identifier: Apache-2.0 */
/* What the members of an action mean, one row a kind. */
#include <disrupt/advice.h>

#include <base/error.h>

/* A row with the names of constants, without their prefixes. */
#define ROW(name, object, subject, value, number)                                                                      \
    [KARP_ACTION_##name] = { sizeof(karp_action_meaning), #name,                                                       \
                             KARP_MEANS_##object,         KARP_MEANS_##subject,                                        \
                             KARP_MEANS_##value,          KARP_MEANS_##number }

static const karp_action_meaning meanings[] = {
    ROW(DELETE_CLAIM, NODE_CLAIM, NOTHING, WHY, NOTHING),
    ROW(CREATE_CLAIMS, NODE_POOL, NOTHING, NOTHING, COUNT),
    ROW(SET_CONDITION, NODE_CLAIM, CONDITION, REASON, NOTHING),
    ROW(CLEAR_CONDITION, NODE_CLAIM, CONDITION, NOTHING, NOTHING),
    ROW(ANNOTATE_CLAIM, NODE_CLAIM, ANNOTATION, TEXT, NOTHING),
    ROW(ANNOTATE_POOL, NODE_POOL, ANNOTATION, TEXT, NOTHING),
    ROW(REMOVE_TAINT, NODE, TAINT, NOTHING, NOTHING),
    ROW(EVICT, POD, NOTHING, NOTHING, NOTHING),
    ROW(FORCE_DELETE, POD, NOTHING, NOTHING, SECONDS),
    ROW(BLOCKED, NODE, CONDITION, WHY, NOTHING),
    ROW(ADD_TAINT, NODE, TAINT, NOTHING, NOTHING),
    ROW(CREATE_REPLACEMENT, NODE_POOL, LAUNCH, NOTHING, INDEX),
    ROW(MARK_NODE, STATE_NODE, NOTHING, NOTHING, NOTHING),
    ROW(UNMARK_NODE, STATE_NODE, NOTHING, NOTHING, NOTHING),
    ROW(NOMINATE_NODE, STATE_NODE, NOTHING, NOTHING, NOTHING),
    ROW(EVENT, NODE_CLAIM, NOTHING, TEXT, NOTHING),
    ROW(OFFERING_UNAVAILABLE, INSTANCE_TYPE, ZONE, CAPACITY_TYPE, NOTHING),
    ROW(POD_EVENT, NODE_CLAIM, NOTHING, NOTHING, INSTANT),
    ROW(DELETE_NODE, NODE, NOTHING, NOTHING, NOTHING),
    ROW(DELETE_INSTANCE, NODE_CLAIM, NOTHING, NOTHING, NOTHING),
    ROW(REMOVE_FINALIZER, NODE_CLAIM, FINALIZER, WHY, NOTHING),
    ROW(CONDITION_FALSE, NODE_CLAIM, CONDITION, REASON, NOTHING),
    ROW(CONDITION_UNKNOWN, NODE_CLAIM, CONDITION, REASON, NOTHING),
    ROW(REMOVE_LABEL, NODE, LABEL, NOTHING, NOTHING),
    ROW(REMOVE_ANNOTATION, NODE_CLAIM, ANNOTATION, NOTHING, NOTHING),
    ROW(REBOOT_INSTANCE, NODE_CLAIM, BOOT_ID, NOTHING, NOTHING),
};

enum { FIRST_MEANING_SIZE = SIZE_THROUGH(karp_action_meaning, number) };

karp_status karp_action_describe(uint32_t kind, karp_action_meaning *out)
{
    if (kind == 0 || kind >= sizeof meanings / sizeof *meanings) return KARP_E_NOT_FOUND;
    return struct_give(out, &meanings[kind], sizeof *meanings, FIRST_MEANING_SIZE);
}

uint32_t action_object_kind(uint32_t kind) { return meanings[kind].object; }
