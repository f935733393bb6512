/* SPDX-License-Identifier: Apache-2.0 */
/* StatefulSets: a plain kubelet around the model of their controller, in virtual time. */
#include "controllers.h"

#include "stateful_set.h"

#include <stdio.h>
#include <stdlib.h>

enum { MEMBERS = 32 };

typedef struct member {
    bool there, failed;
    uint32_t revision;
    int64_t created, ready_after, ready_since; /* -1 = never, and not ready */
    int64_t gone_at; /* -1 = it does not terminate */
} member;

typedef struct stateful_case {
    const tree *in;
    kube_stateful s;
    karp_str most; /* maxUnavailable */
    bool gate;
    member pods[MEMBERS]; /* by ordinal */
    int64_t now, min_ready, termination;
} stateful_case;

static int64_t number_of(const tree *object, const char *name)
{
    int64_t out = 0;
    (void)tree_integer(tree_get(object, name), &out);
    return out;
}

static bool available(const stateful_case *c, const member *p)
{
    return p->ready_since >= 0 && p->ready_since + c->min_ready <= c->now;
}

static void create_pod(stateful_case *c, int32_t ordinal, uint32_t revision)
{
    char name[2] = { (char)('0' + revision), 0 };
    const tree *waits = tree_get(tree_get(c->in, "ready"), name);
    member *p = &c->pods[ordinal];
    *p = (member){ .there = true, .revision = revision, .created = c->now, .ready_since = -1, .gone_at = -1 };
    (void)tree_integer(tree_item(waits, (size_t)ordinal % tree_count(waits)), &p->ready_after);
}

static void delete_pod(const stateful_case *c, member *p)
{
    if (!p->there || p->gone_at >= 0) return;
    if (c->termination == 0 || p->failed) *p = (member){ .there = false };
    else p->gone_at = c->now + c->termination;
}

static void bound(stateful_case *c)
{
    int32_t value = c->most.len ? (int32_t)strtol(c->most.ptr, NULL, 10) : 1;
    if (c->most.len && str_ends(c->most, "%")) value = value * c->s.replicas / 100;
    c->s.unavailable = c->gate ? (value > 1 ? value : 1) : 0;
}

static size_t list_members(const stateful_case *c, kube_member *out)
{
    size_t n = 0;
    for (int32_t i = 0; i < MEMBERS; i++) {
        const member *p = &c->pods[i];
        bool wanted = i >= c->s.start && i < c->s.start + c->s.replicas;
        if (!p->there && !wanted) continue;
        out[n++] = (kube_member){ .ordinal = i,
                                  .there = p->there,
                                  .ready = p->there && p->ready_since >= 0,
                                  .available = p->there && available(c, p),
                                  .terminating = p->there && p->gone_at >= 0,
                                  .ended = p->failed,
                                  .revision = p->revision };
    }
    return n;
}

static void settle(stateful_case *c)
{
    kube_member list[MEMBERS];
    bool acted = true;
    bound(c);
    while (acted) {
        size_t n = list_members(c, list);
        acted = kube_stateful_look(&c->s, list, n);
        for (size_t i = 0; i < n; i++) {
            if (list[i].act == KUBE_CREATES) create_pod(c, list[i].ordinal, list[i].revision);
            if (list[i].act == KUBE_DELETES) delete_pod(c, &c->pods[list[i].ordinal]);
        }
    }
}

static void change(stateful_case *c)
{
    const tree *changes = tree_get(c->in, "changes");
    for (size_t i = 0; i < tree_count(changes); i++) {
        const tree *one = tree_item(changes, i);
        if (number_of(one, "t") != c->now) continue;
        if (tree_get(one, "template")) c->s.update = (uint32_t)number_of(one, "template");
        if (tree_get(one, "replicas")) c->s.replicas = (int32_t)number_of(one, "replicas");
        if (tree_get(one, "partition")) c->s.partition = (int32_t)number_of(one, "partition");
        if (tree_get(one, "delete")) delete_pod(c, &c->pods[number_of(one, "delete")]);
        const char *const hurts[] = { "unready", "fail" };
        for (size_t k = 0; k < 2; k++) {
            member *p = &c->pods[number_of(one, hurts[k])];
            if (!tree_get(one, hurts[k]) || !p->there) continue;
            p->ready_since = p->ready_after = -1;
            p->failed = k == 1;
        }
    }
}

static void play_second(stateful_case *c)
{
    settle(c); /* pods become available */
    change(c);
    settle(c);
    for (size_t i = 0; i < MEMBERS; i++) {
        member *p = &c->pods[i];
        if (p->there && p->gone_at >= 0 && p->gone_at <= c->now) *p = (member){ .there = false };
    }
    settle(c);
    for (size_t i = 0; i < MEMBERS; i++) {
        member *p = &c->pods[i];
        bool starts = p->there && p->gone_at < 0 && p->ready_since < 0 && p->ready_after >= 0 && !p->failed;
        if (starts && p->created + p->ready_after <= c->now) p->ready_since = c->now;
    }
    settle(c);
}

static void print_pods(const stateful_case *c)
{
    int pods = 0, ready = 0, usable = 0, current = 0, updated = 0;
    printf("%s[%d, {\"pods\": [", c->now ? ", " : "", (int)c->now);
    for (size_t i = 0; i < MEMBERS; i++) {
        const member *p = &c->pods[i];
        if (!p->there) continue;
        bool leaves = p->gone_at >= 0;
        printf("%s\"%d template %d %s%s\"", pods ? ", " : "", (int)i, (int)p->revision,
               p->failed             ? "failed"
               : p->ready_since >= 0 ? "ready"
                                     : "waiting",
               leaves ? " terminating" : "");
        pods++;
        ready += p->ready_since >= 0;
        usable += available(c, p);
        current += !leaves && p->revision == c->s.current;
        updated += !leaves && p->revision == c->s.update;
    }
    printf(
        "], \"replicas\": %d, \"ready\": %d, \"available\": %d, \"current\": %d, \"updated\": %d, \"complete\": %s}]",
        pods, ready, usable, current, updated, c->s.current == c->s.update ? "true" : "false");
}

/* The state at each second. */
void answer_stateful(const tree *in)
{
    static stateful_case c;
    c = (stateful_case){ .in = in, .most = tree_get_text(in, "maxUnavailable") };
    c.s = (kube_stateful){ .replicas = (int32_t)number_of(in, "replicas"),
                           .start = (int32_t)number_of(in, "startOrdinal"),
                           .partition = (int32_t)number_of(in, "partition"),
                           .parallel = str_is(tree_get_text(in, "podManagementPolicy"), "Parallel"),
                           .on_delete = str_is(tree_get_text(in, "updateStrategy"), "OnDelete"),
                           .current = 1,
                           .update = 1 };
    c.gate = tree_is(tree_get(in, "maxUnavailableGate"), TREE_TRUE);
    c.min_ready = number_of(in, "minReadySeconds");
    c.termination = number_of(in, "terminationSeconds");
    printf("[");
    for (c.now = 0; c.now <= number_of(in, "until"); c.now++) {
        play_second(&c);
        print_pods(&c);
    }
    printf("]\n");
}
