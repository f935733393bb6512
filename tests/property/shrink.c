/* SPDX-License-Identifier: Apache-2.0 */
#include "shrink.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct shrinker {
    json_t *world;
    shrink_test *fails;
    void *user;
    bool changed;
};

/** Takes items [at, at + count) out if the world still fails without them. */
static bool try_without(struct shrinker *s, json_t *array, size_t at, size_t count)
{
    json_t *removed = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append(removed, json_array_get(array, at));
        json_array_remove(array, at);
    }
    bool still = s->fails(s->world, s->user);
    for (size_t i = 0; i < count && !still; i++) {
        json_array_insert(array, at + i, json_array_get(removed, i));
    }
    json_decref(removed);
    s->changed = s->changed || still;
    return still;
}

/** Leaves at least @p least items. */
static void shrink_array(struct shrinker *s, json_t *array, size_t least)
{
    for (size_t step = json_array_size(array); step > 0; step /= 2) {
        for (size_t at = 0; at + step <= json_array_size(array) && step + least <= json_array_size(array);) {
            if (!try_without(s, array, at, step)) {
                at += step;
            }
        }
    }
}

static bool is_protected(const char *key)
{
    static const char *const keys[] = {
        "apiVersion", "kind",
        "name",       "namespace",
        "uid",        "creationTimestamp",
        "metadata",   "spec",
        "status",     "now",
        "key",        "operator",
        "conditions", "providerID",
        "catalogues", "objects",
        "phase",      "type",
        "reason",     "topologyKey",
        "maxSkew",    "whenUnsatisfiable",
        "weight",     "nodeSelectorTerms",
        "selector",   "template",
        "claimName",  "values",
        "available",  "requirements",
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(key, keys[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void shrink_value(struct shrinker *s, json_t *value);

/** The keys of an object, so that members can be removed while going through them. */
static char **keys_of(json_t *object, size_t *count)
{
    char **keys = calloc(json_object_size(object) + 1, sizeof *keys);
    const char *key;
    json_t *value;
    *count = 0;
    json_object_foreach(object, key, value)
    {
        size_t size = strlen(key) + 1;
        char *copy = keys != NULL ? malloc(size) : NULL;
        if (copy != NULL) {
            keys[(*count)++] = memcpy(copy, key, size);
        }
    }
    return keys;
}

static void shrink_object(struct shrinker *s, json_t *object)
{
    size_t count;
    char **keys = keys_of(object, &count);
    for (size_t i = 0; i < count; i++) {
        json_t *value = json_incref(json_object_get(object, keys[i]));
        bool gone = false;
        if (!is_protected(keys[i])) {
            json_object_del(object, keys[i]);
            gone = s->fails(s->world, s->user);
            s->changed = s->changed || gone;
            if (!gone) {
                json_object_set(object, keys[i], value);
            }
        }
        /* Conditions say what state an object is in only together. */
        if (!gone && strcmp(keys[i], "conditions") != 0) {
            shrink_value(s, value);
        }
        json_decref(value);
        free(keys[i]);
    }
    free(keys);
}

static void shrink_value(struct shrinker *s, json_t *value)
{
    if (json_is_array(value)) {
        shrink_array(s, value, json_is_string(json_array_get(value, 0)) ? 1 : 0);
        for (size_t i = 0; i < json_array_size(value); i++) {
            shrink_value(s, json_array_get(value, i));
        }
    } else if (json_is_object(value)) {
        shrink_object(s, value);
    }
}

void shrink(json_t *world, shrink_test *fails, void *user)
{
    struct shrinker s = { world, fails, user, true };
    while (s.changed) {
        json_t *catalogues = json_object_get(world, "catalogues");
        s.changed = false;
        shrink_array(&s, json_object_get(world, "objects"), 0);
        for (size_t i = 0; i < json_array_size(catalogues); i++) {
            shrink_array(&s, json_object_get(json_array_get(catalogues, i), "instanceTypes"), 0);
        }
        shrink_value(&s, world);
    }
}
