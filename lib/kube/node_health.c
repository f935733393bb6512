/* SPDX-License-Identifier: Apache-2.0 */
#include <kube/node_health.h>

#include <base/admit.h>
#include <base/str.h>

#define SECOND INT64_C(1000000000)

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

void kube_node_reports(kube_watched_node *n, uint32_t reported) { n->reported = n->state = reported; }

/* A kubelet that has been silent for more than 50 s, since the controller saw its last lease, is unknown. */
static void judge(kube_watched_node *n, int64_t now)
{
    if (n->lease != n->seen_lease || n->seen_at == KARP_NO_TIME) {
        n->seen_lease = n->lease;
        n->seen_at = now;
    }
    if (now - n->seen_at > 50 * SECOND) n->state = KUBE_NODE_UNKNOWN;
}

typedef struct readiness {
    size_t ready, not_ready;
} readiness;

static readiness count_zone(const kube_watched_node *nodes, size_t count, uint32_t zone)
{
    readiness out = { 0 };
    for (size_t i = 0; i < count; i++) {
        if (nodes[i].zone != zone) continue;
        if (nodes[i].state == KUBE_NODE_READY) out.ready++;
        else out.not_ready++;
    }
    return out;
}

/* Between two taints of a zone: 10 s, or 100 s where at least 55 % of its nodes and more than two are not ready; never
 * (0) in such a zone of up to 50 nodes. A zone of which no node is ready counts as any other. */
static int64_t pause_of(readiness z)
{
    enum { MANY = 55, SMALL = 50 };
    bool many = z.ready > 0 && z.not_ready > 2 && 100 * z.not_ready >= MANY * (z.ready + z.not_ready);
    if (!many) return 10 * SECOND;
    return z.ready + z.not_ready > SMALL ? 100 * SECOND : 0;
}

/* If no zone has a ready node, the controller takes its own eyes to be bad. */
static bool sees_nothing(const kube_watched_node *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (nodes[i].state == KUBE_NODE_READY) return false;
    }
    return count > 0;
}

void kube_watch_nodes(kube_watched_node *nodes, size_t count, kube_watched_zone *zones, size_t zone_count, int64_t now)
{
    for (size_t i = 0; i < count; i++) judge(&nodes[i], now);
    bool blind = sees_nothing(nodes, count);
    for (size_t i = 0; i < count; i++) {
        kube_watched_node *n = &nodes[i];
        kube_watched_zone *zone = n->zone < zone_count ? &zones[n->zone] : NULL;
        if (n->state == KUBE_NODE_READY || blind) n->evicts = KUBE_NODE_READY;
        else if (n->evicts != KUBE_NODE_READY) n->evicts = n->state;
        else if (zone && zone->taints_at <= now) {
            int64_t pause = pause_of(count_zone(nodes, count, n->zone));
            if (pause == 0) continue;
            n->evicts = n->state;
            zone->taints_at = now + pause;
        }
    }
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

int64_t kube_taint_evicts(const karp_taint *taints, size_t taint_count, const karp_toleration *tolerations,
                          size_t count, int64_t due, int64_t now)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < taint_count; i++) {
        const karp_toleration *t = toleration_of(tolerations, count, &taints[i]);
        if (!t) return now;
        if (t->has_seconds && t->seconds < least) least = t->seconds;
    }
    if (least == INT64_MAX) return KARP_NO_TIME;
    if (least <= 0) return now;
    if (due != KARP_NO_TIME) return due;
    return least > (INT64_MAX - now) / SECOND ? KARP_NO_TIME : now + least * SECOND;
}
