/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/movable.h>

#include <model/duration.h>
#include <schedule/topology.h>
#include <string.h>

bool pod_terminal(const pod *p) { return p->phase == KARP_PHASE_SUCCEEDED || p->phase == KARP_PHASE_FAILED; }

bool pod_active(const pod *p) { return !pod_terminal(p) && p->deletion == KARP_NO_TIME; }

bool pod_provisionable(const pod *p)
{
    return p->node == NO_ID && (p->flags & POD_UNSCHEDULABLE) && !(p->flags & (POD_NOMINATED | POD_OF_DAEMON_SET | POD_OF_NODE));
}

bool pod_reschedulable(const pod *p)
{
    if (p->flags & (POD_OF_DAEMON_SET | POD_OF_NODE)) return false;
    return pod_active(p) || ((p->flags & POD_OF_STATEFUL_SET) && p->deletion != KARP_NO_TIME);
}

bool pod_do_not_disrupt(const karp_snapshot *s, const pod *p, int64_t now)
{
    uint32_t value = store_marks(&s->raw, p)->do_not_disrupt;
    int64_t length;
    if (value == NO_ID) return false;
    if (value == s->known.true_) return true;
    karp_str text = text_of(s, value);
    if (!duration_parse(text.ptr, text.len, &length) || length <= 0) return false;
    return p->start == KARP_NO_TIME || now - p->start < length;
}

bool pod_disruptable(const karp_snapshot *s, const pod *p, int64_t now) { return !pod_active(p) || !pod_do_not_disrupt(s, p, now); }

bool tolerates_disruption(const karp_snapshot *s, toleration_list list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        const toleration *t = &list.items[i];
        if (t->effect != NO_TEXT && t->effect != s->known.no_schedule) continue;
        if (t->key != NO_TEXT && t->key != s->known.disrupted) continue;
        if (t->op == KARP_TOLERATION_EXISTS || (t->op == KARP_TOLERATION_EQUAL && t->value == NO_TEXT)) return true;
    }
    return false;
}

bool pod_evictable(const karp_snapshot *s, uint32_t pod_number, int64_t now)
{
    const pod *p = &s->raw.pods.items[pod_number];
    return pod_active(p) && !(p->flags & POD_OF_NODE) && !tolerates_disruption(s, s->raw.shapes.items[p->shape].tolerations) &&
           !pod_do_not_disrupt(s, p, now);
}

static bool is_text(const karp_int_or_string *v, const char *text)
{
    return v->is_set && v->is_text && v->text.len == strlen(text) && memcmp(v->text.ptr, text, v->text.len) == 0;
}

static bool blocks(const disruption_budget *b, enum pdb_mode mode)
{
    if (mode == PDB_ZERO_DISRUPTIONS) return b->disruptions_allowed == 0;
    if (b->max_unavailable.is_set && !b->max_unavailable.is_text && b->max_unavailable.value == 0) return true;
    return is_text(&b->max_unavailable, "0%") || is_text(&b->min_available, "100%");
}

enum pdb_answer pod_pdb_check(const karp_snapshot *s, uint32_t pod_number, int64_t now, enum pdb_mode mode, uint32_t *first)
{
    const pod *p = &s->raw.pods.items[pod_number];
    uint32_t matching = 0, found = NO_ID;
    if (s->raw.budgets.count == 0 || !pod_evictable(s, pod_number, now)) return PDB_ALLOWED;
    label_list labels = store_pod_labels(&s->raw, p->labels);
    for (uint32_t i = 0; i < s->raw.budgets.count; i++) {
        const disruption_budget *b = &s->raw.budgets.items[i];
        if (b->meta.name_space != p->name_space || b->selects == NULL || !selector_selects(b->selects, labels)) continue;
        if (matching++ == 0) found = i;
    }
    if (first != NULL) *first = found;
    if (matching != 1) return matching > 1 ? PDB_SEVERAL : PDB_ALLOWED;
    const disruption_budget *b = &s->raw.budgets.items[found];
    if (b->always_allow && (p->flags & POD_NOT_READY)) return PDB_ALLOWED;
    return blocks(b, mode) ? PDB_ONE_BLOCKS : PDB_ALLOWED;
}

bool pod_currently_reschedulable(const karp_snapshot *s, uint32_t pod_number, int64_t now)
{
    const pod *p = &s->raw.pods.items[pod_number];
    return pod_reschedulable(p) && pod_disruptable(s, p, now) && pod_pdb_check(s, pod_number, now, PDB_FULLY_BLOCKING, NULL) == PDB_ALLOWED;
}
