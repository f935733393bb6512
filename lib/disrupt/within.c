/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/within.h>

#include <string.h>

bool keep_within_budget(pass *p, uint32_t *order, uint32_t count, uint32_t *kept)
{
    size_t pools = p->snapshot->raw.pools.count;
    int64_t *left = mem_alloc(p->context, (pools + 1) * sizeof *left);
    bool ok = left != NULL;
    *kept = 0;
    if (ok && pools > 0) memcpy(left, p->remaining, pools * sizeof *left);
    for (uint32_t i = 0; ok && i < count; i++) {
        const candidate *c = &p->candidates[order[i]];
        if (left[c->pool] > 0) {
            left[c->pool]--;
            order[(*kept)++] = order[i];
        } else {
            p->constrained = true;
            ok = pass_keep(p, c->node, KARP_REASON_BUDGET, name_of(p->snapshot, pool_of(p, c)->meta.name));
        }
    }
    mem_free(p->context, left, (pools + 1) * sizeof *left);
    return ok;
}
