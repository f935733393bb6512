/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/menu.h>

#include <model/taints.h>
#include <schedule/guide.h>
#include <schedule/hosts.h>
#include <schedule/placement.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>
#include <schedule/views.h>
#include <string.h>

enum { MOST_QUESTIONS = 4000000 }; /* at a hundred nanoseconds each this is less than a second */

static bool takes_pods(const scheduler *s, uint32_t index)
{
    const host *h = &s->hosts.items[index];
    const state_node *n = &s->snapshot->nodes[h->node];
    return bits_test(s->hosts.offered, index) && !h->negative && !h->shielded && n->initialized && !n->marked;
}

/* Whether the view's pods depend on anything but capacity and requirements. */
static bool minds_others(const scheduler *s, uint32_t class_number, const view *v)
{
    const label_group *l = &s->topology.label_groups.items[s->pods.classes[class_number].label_group];
    return v->owned_count > 0 || l->counted_count > 0 || l->barred_count > 0 ||
           s->pods.classes[class_number].inverse_count > 0 || shape_of(s->snapshot, class_number)->ports.count > 0 ||
           s->snapshot->classes[class_number].alternative_count > 0;
}

static void allow_by_labels(scheduler *s, const menu_hosts *h, uint32_t set, const view *v, uint64_t *allowed)
{
    for (uint32_t i = 0; i < h->count; i++) {
        const state_node *n = &s->snapshot->nodes[h->node[i]];
        if (set_compatible(&s->algebra, n->set, set, false) &&
            taints_tolerated(s->snapshot, v->tolerations, taints_of_node(s, n)))
            bits_set(allowed, i);
    }
}

static bool allow_class(scheduler *s, const menu *m, uint32_t c, size_t *questions, menu_hosts *out)
{
    const menu_class *x = &m->classes[c];
    uint64_t *allowed = out->allowed + c * bits_words(out->count);
    class_begin_round(s, &s->pods.classes[x->class_]);
    uint32_t number = guide_view(s, x->class_, x->step);
    if (number == NO_ID) return false;
    const view v = s->pods.views.items[number];
    allow_by_labels(s, out, x->set, &v, allowed);
    if (!minds_others(s, x->class_, &v)) return true;
    out->alone[c] = x->limit != UINT32_MAX;
    for (size_t i = bits_next(allowed, out->count, 0); i < out->count; i = bits_next(allowed, out->count, i + 1)) {
        if (++*questions > MOST_QUESTIONS || host_refusal(s, out->host[i], x->pods[0], number) != KARP_REASON_NONE)
            bits_clear(allowed, i);
        if (!scheduler_worked(s, 64)) return false;
    }
    return !s->failed && !s->algebra.failed;
}

/* Begins a round in which nothing is placed, and movable pods are not counted on their nodes. A pod that stays in its
 * zone does not change the zone's count. */
static bool begin_question(scheduler *s, const menu *m)
{
    size_t count = 0;
    for (uint32_t c = 0; c < m->class_count; c++) count += m->classes[c].count;
    uint32_t *moving = mem_alloc(s->context, (count + 1) * sizeof *moving), n = 0;
    for (uint32_t c = 0; moving != NULL && c < m->class_count; c++) {
        memcpy(moving + n, m->classes[c].pods, m->classes[c].count * sizeof *moving);
        n += m->classes[c].count;
    }
    bool ok = moving != NULL && round_begin(s, NULL, 0, moving, n);
    mem_free(s->context, moving, (count + 1) * sizeof *moving);
    return ok;
}

static bool note_hosts(scheduler *s, arena *a, menu_hosts *out)
{
    size_t pods = s->snapshot->raw.pods.count;
    out->host_of = arena_alloc(a, (pods + 1) * sizeof *out->host_of);
    if (out->host_of == NULL || !placement_settle(s)) return false;
    memset(out->host_of, 0xff, (pods + 1) * sizeof *out->host_of);
    for (uint32_t i = 0; i < s->pods.count; i++) {
        place at = s->placement.places[s->pods.items[i]];
        if (at.where == PLACE_HOST) out->host_of[s->pods.items[i]] = at.target;
    }
    return true;
}

/* The free capacity in units of the menu, rounded down. */
static void note_left(const menu *m, const int64_t *left, int64_t *out)
{
    for (uint32_t d = 0; d < m->dims; d++) out[d] = left[d] / m->units[d] - (left[d] % m->units[d] < 0);
}

bool menu_hosts_make(scheduler *s, arena *a, const menu *m, menu_hosts *out)
{
    size_t questions = 0;
    *out = (menu_hosts){ .count = 0 };
    out->host = arena_array(a, s->hosts.count + (size_t)1, sizeof *out->host);
    out->node = arena_array(a, s->hosts.count + (size_t)1, sizeof *out->node);
    if (out->host == NULL || out->node == NULL) return false;
    for (uint32_t i = 0; i < s->hosts.count; i++) {
        if (!takes_pods(s, i)) continue;
        out->host[out->count] = i;
        out->node[out->count++] = s->hosts.items[i].node;
    }
    out->left = arena_array(a, out->count * (size_t)m->dims + 1, sizeof *out->left);
    out->allowed = arena_array(a, bits_words(out->count) * m->class_count + 1, sizeof *out->allowed);
    out->alone = arena_array(a, m->class_count + (size_t)1, sizeof *out->alone);
    if (out->left == NULL || out->allowed == NULL || out->alone == NULL) return false;
    for (uint32_t i = 0; i < out->count; i++)
        note_left(m, s->hosts.items[out->host[i]].left, out->left + (size_t)i * m->dims);
    if (!note_hosts(s, a, out) || !begin_question(s, m)) return false;
    for (uint32_t c = 0; c < m->class_count; c++) {
        if (!allow_class(s, m, c, &questions, out)) return false;
    }
    return true;
}
