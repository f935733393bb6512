/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that fail, and NoExecute taints: plain kubelets around the models of the controllers, in virtual time. */
#include "controllers.h"

#include <kube/node_health.h>

#include <stdio.h>
#include <stdlib.h>

enum { NODES = 8, PODS = 64, TAINTS = 4, TOLERATIONS = 8 };
#define SECOND INT64_C(1000000000)

typedef struct node {
    const tree *in;
    bool gone;
    karp_taint own[TAINTS]; /* that somebody puts on it */
    size_t own_count;
} node;

typedef struct pod {
    const tree *in;
    size_t node;
    karp_toleration tolerations[TOLERATIONS];
    size_t toleration_count;
    int64_t due, gone_at; /* gone_at -1 = it does not terminate */
    bool ready, evicted, gone;
} pod;

typedef struct health_case {
    const tree *in;
    node nodes[NODES];
    kube_watched_node watched[NODES];
    kube_watched_zone zones[NODES];
    pod pods[PODS];
    size_t node_count, pod_count;
    int64_t now, termination;
} health_case;

static int64_t number_of(const tree *object, const char *name)
{
    int64_t out = INT64_MAX;
    return tree_integer(tree_get(object, name), &out) ? out : INT64_MAX;
}

static void read_pod(health_case *c, const tree *in)
{
    pod *p = &c->pods[c->pod_count++];
    const tree *list = tree_get(in, "tolerations");
    *p = (pod){ .in = in, .due = KARP_NO_TIME, .gone_at = -1, .ready = true };
    while (!equal_str(tree_get_text(c->nodes[p->node].in, "name"), tree_get_text(in, "node"))) p->node++;
    for (size_t i = 0; i < tree_count(list) && i < TOLERATIONS; i++) {
        const tree *one = tree_item(list, i);
        int64_t seconds = 0;
        bool limited = tree_integer(tree_get(one, "tolerationSeconds"), &seconds);
        p->tolerations[p->toleration_count++] = (karp_toleration){ .key = tree_get_text(one, "key"),
                                                                   .effect = tree_get_text(one, "effect"),
                                                                   .op = KARP_TOLERATION_EXISTS,
                                                                   .has_seconds = limited,
                                                                   .seconds = seconds };
    }
}

static void read_case(health_case *c)
{
    const tree *nodes = tree_get(c->in, "nodes"), *pods = tree_get(c->in, "pods");
    for (size_t i = 0; i < tree_count(nodes) && i < NODES; i++) {
        size_t zone = 0;
        c->nodes[c->node_count].in = tree_item(nodes, i);
        while (!equal_str(tree_get_text(tree_item(nodes, zone), "zone"), tree_get_text(tree_item(nodes, i), "zone")))
            zone++;
        c->watched[c->node_count++] = (kube_watched_node){ .zone = (uint32_t)zone, .seen_at = KARP_NO_TIME };
    }
    for (size_t i = 0; i < tree_count(pods) && i < PODS; i++) read_pod(c, tree_item(pods, i));
    c->termination = number_of(c->in, "terminationSeconds");
}

/* ---- kubelets, and what somebody does ---------------------------------------------------------------------------- */

static void put_taints(const health_case *c, node *n)
{
    const tree *list = tree_get(n->in, "taints");
    for (size_t i = 0; i < tree_count(list); i++) {
        const tree *one = tree_item(list, i);
        karp_taint taint = { .key = tree_get_text(one, "key"), .effect = tree_get_text(one, "effect") };
        if (number_of(one, "t") != c->now) continue;
        size_t kept = 0;
        for (size_t k = 0; k < n->own_count; k++) {
            if (!equal_str(n->own[k].key, taint.key)) n->own[kept++] = n->own[k];
        }
        n->own_count = kept;
        if (!tree_is(tree_get(one, "remove"), TREE_TRUE)) n->own[n->own_count++] = taint;
    }
}

static bool dead(const health_case *c, const node *n)
{
    return number_of(n->in, "dies") <= c->now && number_of(n->in, "returns") > c->now;
}

static void report(health_case *c, size_t i)
{
    node *n = &c->nodes[i];
    bool returns = number_of(n->in, "returns") <= c->now, bad = number_of(n->in, "notReady") <= c->now && !returns;
    put_taints(c, n);
    if (dead(c, n)) return;
    uint32_t said = bad ? KUBE_NODE_NOT_READY : KUBE_NODE_READY;
    if (c->watched[i].state != said) kube_node_reports(&c->watched[i], said);
    if (c->now % 10 == 0 || number_of(n->in, "returns") == c->now) c->watched[i].lease = c->now * SECOND;
}

/* ---- controllers ------------------------------------------------------------------------------------------------- */

static void watch(health_case *c)
{
    kube_watch_nodes(c->watched, c->node_count, c->zones, NODES, c->now * SECOND);
    for (size_t i = 0; i < c->pod_count; i++)
        c->pods[i].ready = c->pods[i].ready && c->watched[c->pods[i].node].state != KUBE_NODE_UNKNOWN;
}

static const char *taint_of(uint32_t state)
{
    if (state == KUBE_NODE_READY) return NULL;
    return state == KUBE_NODE_UNKNOWN ? KUBE_TAINT_UNREACHABLE : KUBE_TAINT_NOT_READY;
}

static void evict(health_case *c)
{
    for (size_t i = 0; i < c->pod_count; i++) {
        pod *p = &c->pods[i];
        const node *n = &c->nodes[p->node];
        const char *own = taint_of(c->watched[p->node].evicts);
        karp_taint taints[TAINTS + 1];
        size_t count = 0;
        if (p->gone || p->gone_at >= 0) continue;
        for (; count < n->own_count; count++) taints[count] = n->own[count];
        if (own) taints[count++] = (karp_taint){ .key = str(own), .effect = str("NoExecute") };
        p->due = count ? kube_taint_evicts(taints, count, p->tolerations, p->toleration_count, p->due, c->now * SECOND)
                       : KARP_NO_TIME;
        if (p->due == KARP_NO_TIME || p->due > c->now * SECOND) continue;
        p->evicted = true;
        p->gone_at = dead(c, n) ? INT64_MAX : c->now + c->termination;
    }
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static void print_nodes(const health_case *c)
{
    static const char *const states[] = { "True", "False", "Unknown" };
    for (size_t i = 0; i < c->node_count; i++) {
        const kube_watched_node *w = &c->watched[i];
        const char *avoids = taint_of(w->state), *evicts = taint_of(w->evicts);
        karp_str name = tree_get_text(c->nodes[i].in, "name");
        const size_t domain = sizeof "node.kubernetes.io/" - 1;
        printf("%s\"%.*s\": \"Ready=%s", i ? ", " : "", (int)name.len, name.ptr, states[w->state]);
        for (size_t k = 0; k < c->nodes[i].own_count; k++) {
            const karp_taint *t = &c->nodes[i].own[k];
            printf(" %.*s:%.*s", (int)t->key.len, t->key.ptr, (int)t->effect.len, t->effect.ptr);
        }
        if (avoids) printf(" %s:NoSchedule", avoids + domain);
        if (evicts) printf(" %s:NoExecute", evicts + domain);
        printf("\"");
    }
}

static void print_frame(const health_case *c)
{
    bool first = true;
    printf("%s[%d, {\"nodes\": {", c->now ? ", " : "", (int)c->now);
    print_nodes(c);
    printf("}, \"pods\": {");
    for (size_t i = 0; i < c->pod_count; i++) {
        const pod *p = &c->pods[i];
        karp_str name = tree_get_text(p->in, "name");
        if (p->gone) continue;
        printf("%s\"%.*s\": \"Running%s%s%s\"", first ? "" : ", ", (int)name.len, name.ptr, p->ready ? " ready" : "",
               p->evicted ? " DisruptionTarget=DeletionByTaintManager" : "", p->gone_at >= 0 ? " terminating" : "");
        first = false;
    }
    printf("}}]");
}

/* The state at each second. */
void answer_nodes(const tree *in)
{
    static health_case c;
    c = (health_case){ .in = in };
    read_case(&c);
    printf("[");
    for (c.now = 0; c.now <= number_of(in, "until"); c.now++) {
        if (c.now % (KUBE_NODE_PERIOD / SECOND) == 0) watch(&c);
        evict(&c);
        for (size_t i = 0; i < c.node_count; i++) report(&c, i);
        evict(&c);
        for (size_t i = 0; i < c.pod_count; i++)
            c.pods[i].gone = c.pods[i].gone || (c.pods[i].gone_at >= 0 && c.pods[i].gone_at <= c.now);
        print_frame(&c);
    }
    printf("]\n");
}
