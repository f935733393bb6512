/* SPDX-License-Identifier: Apache-2.0 */
#include "stateful_set.h"

static bool is_condemned(const kube_stateful *s, const kube_member *m)
{
    return m->ordinal < s->start || (int64_t)m->ordinal >= (int64_t)s->start + s->replicas;
}

static bool is_healthy(const kube_member *m) { return m->there && m->ready && m->available && !m->terminating; }

static bool act(kube_member *m, uint32_t what)
{
    m->act = what;
    return true;
}

/* ---- the pods that there should be ------------------------------------------------------------------------------- */

static void create(const kube_stateful *s, kube_member *m)
{
    bool old = !s->on_delete && (int64_t)m->ordinal < (int64_t)s->start + s->partition;
    m->revision = old ? s->current : s->update;
    m->act = KUBE_CREATES;
}

/* Whether nothing else may happen in this look. */
static bool keep_up(const kube_stateful *s, kube_member *m, bool *acted)
{
    if (m->there && m->ended) {
        *acted = (!m->terminating && act(m, KUBE_DELETES)) || *acted;
        return true;
    }
    if (!m->there) {
        create(s, m);
        *acted = true;
        return !s->parallel;
    }
    return !s->parallel && !is_healthy(m);
}

/* ---- the pods that there should not be --------------------------------------------------------------------------- */

/* The first pod that is not healthy: of those that should exist, then of the others. */
static const kube_member *first_unhealthy(const kube_stateful *s, const kube_member *members, size_t count)
{
    for (int condemned = 0; condemned <= 1; condemned++) {
        for (size_t i = 0; i < count; i++) {
            if (is_condemned(s, &members[i]) == (condemned == 1) && !is_healthy(&members[i])) return &members[i];
        }
    }
    return NULL;
}

/* From the highest ordinal on. */
static bool condemn(const kube_stateful *s, kube_member *members, size_t count, bool *acted)
{
    const kube_member *first = first_unhealthy(s, members, count);
    for (size_t i = count; i-- > 0;) {
        kube_member *m = &members[i];
        if (!is_condemned(s, m) || !m->there) continue;
        bool waits = m->terminating || ((!m->ready || !m->available) && m != first);
        if (!s->parallel && waits) return true;
        if (m->terminating) continue;
        *acted = act(m, KUBE_DELETES);
        if (!s->parallel) return true;
    }
    return false;
}

/* ---- updates ----------------------------------------------------------------------------------------------------- */

static bool is_stale(const kube_stateful *s, const kube_member *m)
{
    return m->there && m->act == KUBE_LEAVES && m->revision != s->update && !m->terminating;
}

static bool is_updated(const kube_stateful *s, const kube_member *m)
{
    return !is_condemned(s, m) && (int64_t)m->ordinal - s->start >= s->partition;
}

/* From the highest ordinal down to the partition: the next one when all above are healthy. */
static bool roll(const kube_stateful *s, kube_member *members, size_t count)
{
    for (size_t i = count; i-- > 0;) {
        kube_member *m = &members[i];
        if (!is_updated(s, m)) continue;
        if (is_stale(s, m)) return act(m, KUBE_DELETES);
        if (!is_healthy(m)) return false;
    }
    return false;
}

static bool roll_several(const kube_stateful *s, kube_member *members, size_t count)
{
    int32_t left = s->unavailable;
    bool acted = false;
    for (size_t i = 0; i < count; i++) left -= !is_condemned(s, &members[i]) && !is_healthy(&members[i]);
    for (size_t i = count; i-- > 0 && left > 0;) {
        if (!is_updated(s, &members[i]) || !is_stale(s, &members[i])) continue;
        acted = act(&members[i], KUBE_DELETES);
        left--;
    }
    return acted;
}

static void complete(kube_stateful *s, const kube_member *members, size_t count)
{
    if (s->on_delete) return;
    for (size_t i = 0; i < count; i++) {
        const kube_member *m = &members[i];
        if (!m->there || m->terminating || !m->ready || m->revision != s->update) return;
    }
    s->current = s->update;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static bool ends_early(const kube_stateful *s, kube_member *members, size_t count, bool *acted)
{
    bool done = false;
    for (size_t i = 0; i < count && (!done || s->parallel); i++) {
        if (!is_condemned(s, &members[i])) done = keep_up(s, &members[i], acted) || done;
    }
    return done || condemn(s, members, count, acted);
}

bool kube_stateful_look(kube_stateful *s, kube_member *members, size_t count)
{
    bool acted = false;
    for (size_t i = 0; i < count; i++) members[i].act = KUBE_LEAVES;
    if (!ends_early(s, members, count, &acted) && !s->on_delete) {
        bool rolled = s->unavailable > 0 ? roll_several(s, members, count) : roll(s, members, count);
        acted = acted || rolled;
    }
    if (!acted) complete(s, members, count);
    return acted;
}
