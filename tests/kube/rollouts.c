/* SPDX-License-Identifier: Apache-2.0 */
/* Deployments: a plain ReplicaSet controller and kubelet around the model of a rollout, in virtual time. */
#include "controllers.h"

#include <kube/replicas.h>
#include <kube/rollout.h>

#include <stdio.h>
#include <stdlib.h>

enum { SETS = 5, PODS = 4096 }; /* templates 1 to 4; of all pods that a case makes */
#define SECOND INT64_C(1000000000)

typedef struct pod {
    size_t set;
    char uid[12];
    int64_t created, ready_after, ready_since; /* seconds; ready_after -1 = never, ready_since -1 = it is not */
    int64_t gone_at; /* -1 = it does not terminate */
    bool gone;
} pod;

typedef struct rollout_case {
    const tree *in;
    karp_context *context;
    kube_deployment d;
    kube_set sets[SETS];
    kube_bound surge, unavailable;
    pod pods[PODS];
    size_t count, made[SETS];
    int64_t now, min_ready, termination;
} rollout_case;

static kube_bound bound_of(const tree *in, const char *name)
{
    karp_str text = tree_get_text(in, name);
    if (text.len == 0) return (kube_bound){ true, 25 };
    return (kube_bound){ str_ends(text, "%"), (int32_t)strtol(text.ptr, NULL, 10) };
}

static bool active(const pod *p) { return !p->gone && p->gone_at < 0; }

static bool available(const rollout_case *c, const pod *p)
{
    return active(p) && p->ready_since >= 0 && p->ready_since + c->min_ready <= c->now;
}

static void create_pod(rollout_case *c, size_t set)
{
    char name[2] = { (char)('0' + set), 0 };
    const tree *waits = tree_get(tree_get(c->in, "ready"), name);
    if (c->count == PODS) exit(1);
    pod *p = &c->pods[c->count++];
    *p = (pod){ .set = set, .created = c->now, .ready_since = -1, .gone_at = -1 };
    (void)tree_integer(tree_item(waits, c->made[set] % tree_count(waits)), &p->ready_after);
    (void)snprintf(p->uid, sizeof p->uid, "%05u", (unsigned)c->made[set]++);
}

/* The node of every pod is its own. */
static void delete_pods(rollout_case *c, size_t set, size_t surplus)
{
    static kube_replica list[PODS];
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++) {
        const pod *p = &c->pods[i];
        if (p->set != set || !active(p)) continue;
        list[n++] = (kube_replica){ .number = (uint32_t)i,
                                    .assigned = true,
                                    .ready = p->ready_since >= 0,
                                    .phase = KARP_PHASE_RUNNING,
                                    .rank = 1,
                                    .ready_since = (p->ready_since < 0 ? p->created : p->ready_since) * SECOND,
                                    .created = p->created * SECOND,
                                    .uid = str(p->uid) };
    }
    if (!kube_sort_replicas(c->context, list, n, c->now * SECOND)) exit(1);
    for (size_t i = 0; i < surplus; i++) {
        pod *p = &c->pods[list[i].number];
        if (c->termination > 0) p->gone_at = c->now + c->termination;
        else p->gone = true;
    }
}

/* The ReplicaSets' controller: their pods, and what the Deployment's sees of them. */
static void follow(rollout_case *c)
{
    for (size_t s = 1; s < SETS; s++) {
        int32_t has = 0;
        kube_set *set = &c->sets[s];
        for (size_t i = 0; i < c->count; i++) has += c->pods[i].set == s && active(&c->pods[i]);
        for (; has < set->size; has++) create_pod(c, s);
        if (has > set->size) delete_pods(c, s, (size_t)(has - set->size));
        set->available = set->pods = 0;
        for (size_t i = 0; i < c->count; i++) {
            set->pods += c->pods[i].set == s && !c->pods[i].gone;
            set->available += c->pods[i].set == s && available(c, &c->pods[i]);
        }
    }
}

static void settle(rollout_case *c)
{
    kube_rollout_bounds(&c->d, c->surge, c->unavailable);
    do follow(c);
    while (kube_rollout_look(&c->d));
}

static void change(rollout_case *c)
{
    const tree *changes = tree_get(c->in, "changes");
    for (size_t i = 0; i < tree_count(changes); i++) {
        const tree *one = tree_item(changes, i);
        int64_t at = 0, number = 0;
        (void)tree_integer(tree_get(one, "t"), &at);
        if (at != c->now) continue;
        if (tree_integer(tree_get(one, "template"), &number)) c->d.newest = (size_t)number;
        if (tree_integer(tree_get(one, "replicas"), &number)) c->d.replicas = (int32_t)number;
        if (tree_get(one, "paused")) c->d.paused = tree_is(tree_get(one, "paused"), TREE_TRUE);
    }
}

static void print_sets(const rollout_case *c)
{
    bool first = true;
    printf("%s[%d", c->now ? ", " : "", (int)c->now);
    for (size_t s = 1; s < SETS; s++) {
        int ready = 0, has = 0, leave = 0;
        for (size_t i = 0; i < c->count; i++) {
            const pod *p = &c->pods[i];
            if (p->set != s || p->gone) continue;
            has += active(p);
            leave += !active(p);
            ready += active(p) && p->ready_since >= 0;
        }
        if (!c->sets[s].made) continue;
        printf("%s[%d, %d, %d, %d, %d, %d]", first ? ", [" : ", ", (int)s, (int)c->sets[s].size, has, ready,
               (int)c->sets[s].available, leave);
        first = false;
    }
    printf("]]");
}

static void play_second(rollout_case *c)
{
    settle(c); /* pods become available */
    change(c);
    settle(c);
    for (size_t i = 0; i < c->count; i++) {
        pod *p = &c->pods[i];
        p->gone = p->gone || (p->gone_at >= 0 && p->gone_at <= c->now);
    }
    settle(c);
    for (size_t i = 0; i < c->count; i++) {
        pod *p = &c->pods[i];
        if (active(p) && p->ready_since < 0 && p->ready_after >= 0 && p->created + p->ready_after <= c->now)
            p->ready_since = c->now;
    }
    settle(c);
}

/* The sets at each second: template, size, pods, ready, available, terminating. */
void answer_deployment(karp_context *context, const tree *in)
{
    static rollout_case c;
    int64_t number = 0, until = 0;
    c = (rollout_case){ .in = in, .context = context };
    c.d.sets = c.sets;
    c.d.count = SETS;
    c.d.newest = 1;
    c.d.recreate = str_is(tree_get_text(in, "type"), "Recreate");
    if (tree_integer(tree_get(in, "replicas"), &number)) c.d.replicas = (int32_t)number;
    c.surge = bound_of(in, "maxSurge");
    c.unavailable = bound_of(in, "maxUnavailable");
    (void)tree_integer(tree_get(in, "minReadySeconds"), &c.min_ready);
    (void)tree_integer(tree_get(in, "terminationSeconds"), &c.termination);
    (void)tree_integer(tree_get(in, "until"), &until);
    printf("[");
    for (c.now = 0; c.now <= until; c.now++) {
        play_second(&c);
        print_sets(&c);
    }
    printf("]\n");
}
