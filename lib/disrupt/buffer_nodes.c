/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes that hold room for a CapacityBuffer are not empty (deprovisioning.md §6). Karpenter remembers where its last round of
 * provisioning put the buffers' virtual pods; here that round is made.
 */
#include <disrupt/candidates.h>

#include <base/error.h>
#include <schedule/result.h>
#include <string.h>

static bool some_virtual(const karp_snapshot *w)
{
    for (size_t i = w->raw.pods.count; i > 0; i--) {
        if (pod_at(&w->raw, i - 1)->flags & POD_VIRTUAL) return true;
    }
    return false;
}

karp_status pass_buffer_nodes(pass *p, karp_error *error)
{
    const karp_snapshot *w = p->snapshot;
    if (p->method != KARP_METHOD_EMPTINESS || !some_virtual(w)) return KARP_OK; /* which a pass asks for once */
    karp_options options = p->options;
    options.now = p->now;
    options.keep_partial = 0;
    const run_options how = { .options = &options };
    scheduler *s = NULL;
    uint8_t *holds = arena_array(&p->lasting, w->node_count + (size_t)1, sizeof *holds);
    if (holds == NULL) return fail_nomem(error);
    karp_status status = scheduler_new(w, &how, &s, error);
    if (status == KARP_OK) status = scheduler_round(s, NULL, 0, NULL, 0, error);
    if (status == KARP_OK && !result_buffer_nodes(s, holds)) status = fail_nomem(error);
    if (status == KARP_E_CANCELED) {
        p->stopped = p->canceled = true;
        memset(holds, 1, w->node_count); /* nobody knows */
        status = KARP_OK;
    }
    p->steps += s != NULL ? scheduler_steps(s) : 0;
    p->buffer_nodes = holds;
    scheduler_free(s);
    return status;
}
