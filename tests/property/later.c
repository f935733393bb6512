/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Features that are added to a world that is there already: a seed goes on naming the world that it named before, with
 * something more.
 */
#include "maker.h"

/** How many volumes types can attach. */
static void limit_volumes(struct maker *m)
{
    for (size_t i = 0; i < json_array_size(m->types); i++) {
        json_t *limits = json_object();
        if (chance(m, 70)) {
            json_object_set_new(limits, "disk.example.com", json_integer(below(m, 3)));
        }
        if (chance(m, 40)) {
            json_object_set_new(limits, "ebs.csi.aws.com", json_integer(below(m, 3)));
        }
        json_object_set_new(json_array_get(m->types, i), "volumeAttachmentLimits", limits);
    }
}

/** NodePools with a fixed number of nodes, which no pod opens. */
static void fix_pools(struct maker *m)
{
    for (size_t i = 1; i < json_array_size(m->pools); i++) {
        json_t *spec = json_object_get(json_array_get(m->pools, i), "spec");
        if (chance(m, 40)) {
            json_object_set_new(spec, "replicas", json_integer(below(m, 4)));
        }
    }
}

void add_later(struct maker *m)
{
    bool limits = chance(m, m->percent[VOLUMES] > 0 ? 60 : 5);
    if (limits) {
        limit_volumes(m);
    }
    if (chance(m, limits ? 50 : 10)) {
        fix_pools(m);
    }
}
