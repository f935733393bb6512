/* SPDX-License-Identifier: Apache-2.0 */
#include <model/snapshot.h>

#include <string.h>

/* All but the count of holds, which other threads may be changing. */
void snapshot_borrow(karp_snapshot *view, const karp_snapshot *from)
{
    const size_t at = offsetof(karp_snapshot, lender);
    memcpy((char *)view + at, (const char *)from + at, sizeof *view - at);
    view->context = from->context;
    if (view->lender == NULL) view->lender = from;
}

const karp_snapshot *snapshot_remaining(const karp_snapshot *s, bool loses, karp_snapshot *view)
{
    if (!loses || s->remaining == NULL) return s;
    snapshot_borrow(view, s);
    view->nodes = s->remaining->nodes;
    view->node_count = s->remaining->count;
    view->node_of_name = s->remaining->of_name;
    view->lost = s->remaining->lost;
    view->remaining = NULL;
    return view;
}
