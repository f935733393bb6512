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

/** Reservations with as many slots wherever they are named: the least number counts. */
static void even_slots(struct maker *m)
{
    unsigned slots[3];
    for (size_t i = 0; i < 3; i++) {
        slots[i] = below(m, 4);
    }
    for (size_t i = 0; i < json_array_size(m->types); i++) {
        json_t *offerings = json_object_get(json_array_get(m->types, i), "offerings");
        for (size_t o = 0; o < json_array_size(offerings); o++) {
            json_t *offering = json_array_get(offerings, o);
            json_t *last = json_array_get(json_object_get(offering, "requirements"), 2);
            const char *id = json_string_value(json_array_get(json_object_get(last, "values"), 0));
            if (id != NULL && json_object_get(offering, "reservationCapacity") != NULL) {
                json_object_set_new(offering, "reservationCapacity", json_integer(slots[id[4] - '1']));
                json_object_set_new(offering, "available", json_true());
            }
        }
    }
}

/** minValues on reservation ids, which a launch with reservations is restricted to in the end. */
static void count_reservations(struct maker *m)
{
    for (size_t i = 0; i < json_array_size(m->pools); i++) {
        json_t *spec = json_object_get(json_object_get(json_array_get(m->pools, i), "spec"), "template");
        json_t *ids = entry(RESERVATION, "In", some_words(m, "res-1 res-2 res-3", 2 + below(m, 2)));
        json_object_set_new(ids, "minValues", json_integer(chance(m, 80) ? 2 : 1));
        if (chance(m, 60)) {
            json_object_set_new(json_object_get(spec, "spec"), "requirements", json_pack("[O]", ids));
        }
        json_decref(ids);
    }
}

/** Requests for more than there is anywhere, of pods that run or wait. */
static void ask_too_much(struct maker *m)
{
    for (size_t i = 0; i < json_array_size(m->objects); i++) {
        json_t *object = json_array_get(m->objects, i), *spec = json_object_get(object, "spec");
        json_t *container = json_array_get(json_object_get(spec, "containers"), 0);
        json_t *requests = json_object_get(json_object_get(container, "resources"), "requests");
        if (requests == NULL || !chance(m, 5)) {
            continue;
        }
        requests = json_object();
        put_some(m, requests, "memory memory cpu", "3Ei 7Ei 8Ei 9E 1E");
        json_object_update(json_object_get(json_object_get(container, "resources"), "requests"), requests);
        json_decref(requests);
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
    if (chance(m, m->percent[RESERVATIONS] > 0 ? 60 : 0)) {
        even_slots(m);
        count_reservations(m);
    }
    if (chance(m, 5)) {
        ask_too_much(m);
    }
}
