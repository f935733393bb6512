/* SPDX-License-Identifier: Apache-2.0 */
/* What replays or a story come to, for those who judge them. */
#include <replay/replay.h>

#include <io/write_notes.h>

/* $/h on average; of no time, what the nodes cost at its end. */
static double mean_cost(const replay_result *p)
{
    if (p->point_count == 0) return 0;
    const replay_point *first = &p->points[0], *last = &p->points[p->point_count - 1];
    double hours = (double)(last->at - first->at) / 3.6e12;
    return hours > 0 ? p->dollars / hours : last->cost_rate;
}

static void take_most(uint64_t *most, uint64_t value)
{
    if (value > *most) *most = value;
}

karp_status replay_give_outcome(replay *r)
{
    const karp_write_options notes = { .warnings = r->base.notes, .warning_count = r->base.note_count };
    size_t problems = problem_count(&notes);
    karp_replay_outcome o = { .size = sizeof o, .pods = r->pods, .notes = r->base.note_count };
    if (r->write.outcome == NULL) return KARP_OK;
    for (size_t i = 0; i < problems; i++) o.not_understood += problem_is_unknown(&notes, i);
    o.unplanned = problems - o.not_understood;
    str_shorten(o.licences, sizeof o.licences, r->write.licences);
    for (size_t i = 0; i < r->result_count; i++) {
        const replay_result *p = &r->results[i];
        double cost = mean_cost(p);
        if (cost > o.cost) o.cost = cost;
        take_most(&o.pods_pending, p->pending_pods);
        take_most(&o.nodes_most, p->most_nodes);
        take_most(&o.nodes_without_price, p->unpriced_nodes);
    }
    karp_status status = struct_give(r->write.outcome, &o, sizeof o, SIZE_THROUGH(karp_replay_outcome, licences));
    return status ? fail(&r->error, status, "karp_replay_outcome: its size is wrong") : KARP_OK;
}
