/* SPDX-License-Identifier: Apache-2.0 */
/* What DaemonSets take of a node (scheduling.md 12). */
#include <string.h>

#include "memory.h"
#include "scheduler.h"

/** The newest pod that the set controls, or NULL. */
static const struct pod *newest_pod(const struct world *world, const json_t *set)
{
    const json_t *metadata = ref_at(set, "metadata");
    const char *namespace = *ref_text(metadata, "namespace") != '\0' ? ref_text(metadata, "namespace") : "default";
    const struct pod *newest = NULL;
    for (size_t i = 0; i < world->pod_count; i++) {
        const struct pod *p = &world->pods[i];
        const char *owner = ref_text(p->controller, "uid");
        if (strcmp(p->namespace, namespace) == 0 && *owner != '\0' && strcmp(owner, ref_text(metadata, "uid")) == 0 &&
            (newest == NULL || p->created > newest->created)) {
            newest = p;
        }
    }
    return newest;
}

void ref_daemons_read(struct scheduler *s)
{
    struct objects sets = ref_objects(s->world, "DaemonSet");
    s->daemons = ref_alloc((sets.count + 1) * sizeof s->daemons[0]);
    for (size_t i = 0; i < sets.count; i++) {
        const struct pod *pod = newest_pod(s->world, sets.items[i]);
        const json_t *spec = ref_at(ref_at(ref_at(sets.items[i], "spec"), "template"), "spec");
        struct node_terms required = ref_required_nodes_read(spec);
        struct pod *daemon = &s->daemons[s->daemon_count++];
        *daemon = pod != NULL ? *pod : ref_pod_of_template(sets.items[i]);
        if (required.count > 0) {
            daemon->required_nodes = required; /* instead of the one node the daemon controller chose */
        }
    }
}

/**
 * Does the daemon run on the type? Q-1: a term that does not match is dropped from the daemon itself, so later types,
 * templates and existing nodes do not see it any more; and the daemon keeps the toleration added here.
 */
static bool runs_on(struct pod *daemon, const struct template *template, const struct instance_type *type)
{
    ref_tolerate_prefer_no_schedule(&daemon->tolerations);
    if (!ref_tolerates(daemon->tolerations, template->pool->taints)) {
        return false;
    }
    for (;;) {
        struct requirements r = ref_strict_requirements(daemon);
        if (ref_compatible(template->requirements, r, true) && ref_intersects(type->requirements, r)) {
            return true;
        }
        if (daemon->required_nodes.count < 2) {
            return false;
        }
        daemon->required_nodes.items++;
        daemon->required_nodes.count--;
    }
}

static bool same_daemons(const struct daemon_group *group, const struct pod *const *daemons, size_t count)
{
    if (group->count != count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (group->daemons[i] != daemons[i]) {
            return false;
        }
    }
    return true;
}

static struct daemon_group *group_for(struct template *t, const struct pod **daemons, size_t count)
{
    for (size_t g = 0; g < t->group_count; g++) {
        if (same_daemons(&t->groups[g], daemons, count)) {
            return &t->groups[g];
        }
    }
    t->groups = ref_push(t->groups, t->group_count, sizeof t->groups[0]);
    struct daemon_group *group = &t->groups[t->group_count++];
    *group = (struct daemon_group){ .daemons = daemons, .count = count };
    if (count > 0) {
        group->overhead = ref_requests(daemons, count);
    }
    for (size_t i = 0; i < count; i++) {
        ref_usages_add(&group->ports, daemons[i]);
    }
    return group;
}

void ref_daemon_groups_make(struct scheduler *s, struct template *t)
{
    t->group_count = 0;
    for (size_t i = 0; i < t->types.count; i++) {
        const struct pod **daemons = ref_alloc((s->daemon_count + 1) * sizeof *daemons);
        size_t count = 0;
        for (size_t d = 0; d < s->daemon_count; d++) {
            bool skipped = s->world->ignore_devices && s->daemons[d].wants_devices;
            if (!skipped && runs_on(&s->daemons[d], t, t->types.items[i])) {
                daemons[count++] = &s->daemons[d];
            }
        }
        struct daemon_group *group = group_for(t, daemons, count);
        group->types.items = ref_push(group->types.items, group->types.count, sizeof(void *));
        group->types.items[group->types.count++] = t->types.items[i];
    }
}
