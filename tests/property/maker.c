/* SPDX-License-Identifier: Apache-2.0 */
#include "maker.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <support/random.h>

unsigned below(struct maker *m, unsigned limit)
{
    if (m->byte_count > 1) {
        unsigned number = limit <= 256 ? m->bytes[0] : m->bytes[0] * 256U + m->bytes[1], used = limit <= 256 ? 1 : 2;
        m->bytes += used;
        m->byte_count -= used;
        return number % limit;
    }
    return (unsigned)random_below(&m->random, limit);
}

bool chance(struct maker *m, unsigned percent) { return below(m, 100) < percent; }

bool has(struct maker *m, enum feature feature) { return chance(m, m->percent[feature]); }

static char *next_word(struct maker *m)
{
    m->word = (m->word + 1) % 512;
    return m->words[m->word];
}

const char *text(struct maker *m, const char *format, ...)
{
    char *out = next_word(m);
    va_list args;
    va_start(args, format);
    vsnprintf(out, sizeof m->words[0], format, args);
    va_end(args);
    return out;
}

static unsigned count_words(const char *words)
{
    unsigned count = *words != '\0';
    for (; *words != '\0'; words++) {
        count += *words == ' ';
    }
    return count;
}

static const char *nth_word(struct maker *m, const char *words, unsigned n)
{
    for (; n > 0; n--) {
        words = strchr(words, ' ') + 1;
    }
    return text(m, "%.*s", (int)strcspn(words, " "), words);
}

const char *word(struct maker *m, const char *words) { return nth_word(m, words, below(m, count_words(words))); }

const char *amount(struct maker *m, const char *usual, const char *coarse)
{
    return word(m, has(m, COARSE) ? coarse : usual);
}

const char *ago(struct maker *m, unsigned seconds)
{
    unsigned long now = 20UL * 86400 + 12UL * 3600, then = now > seconds ? now - seconds : 0;
    return text(m, "2026-11-%02luT%02lu:%02lu:%02luZ", 1 + then / 86400, then / 3600 % 24, then / 60 % 60, then % 60);
}

json_t *some_words(struct maker *m, const char *words, unsigned count)
{
    json_t *out = json_array();
    unsigned all = count_words(words), left = count < all ? count : all;
    for (unsigned i = 0; i < all && left > 0; i++) {
        if (below(m, all - i) < left) {
            json_array_append_new(out, json_string(nth_word(m, words, i)));
            left--;
        }
    }
    return out;
}

json_t *entry(const char *key, const char *op, json_t *values)
{
    json_t *out = json_pack("{s:s, s:s}", "key", key, "operator", op);
    if (values != NULL) {
        json_object_set_new(out, "values", values);
    }
    return out;
}

json_t *random_item(struct maker *m, json_t *list)
{
    size_t count = json_array_size(list);
    return count > 0 ? json_array_get(list, below(m, (unsigned)count)) : NULL;
}

static const char *names_of(struct maker *m, json_t *list, bool metadata)
{
    char *out = next_word(m);
    size_t used = 0, start = json_array_size(list) > 0 ? below(m, (unsigned)json_array_size(list)) : 0;
    out[0] = '\0';
    for (size_t i = 0; i < json_array_size(list) && i < 4; i++) {
        json_t *item = json_array_get(list, (start + i) % json_array_size(list));
        const char *name = json_string_value(
            json_object_get(metadata ? json_object_get(item, "metadata") : item, "name"));
        used += (size_t)snprintf(out + used, sizeof m->words[0] - used, "%s%s", i > 0 ? " " : "", name);
    }
    return out;
}

const char *values_of(struct maker *m, const char *key)
{
    static const char *const table[][2] = {
        { CAPACITY_TYPE, "on-demand spot reserved" },
        { ARCH, "amd64 arm64" },
        { SYSTEM, "linux windows" },
        { "size", "small large" },
        { "family", "fa fb fc" },
        { "accel", "gpu" },
        { "integer", "1 2 4 8 16" },
        { "team", "a b c" },
        { "rack", "r1 r2 r3" },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(key, table[i][0]) == 0) {
            return table[i][1];
        }
    }
    if (strcmp(key, TYPE) == 0) {
        return names_of(m, m->types, false);
    }
    if (strcmp(key, NODEPOOL) == 0) {
        return json_array_size(m->pools) > 0 ? names_of(m, m->pools, true) : "pool-a";
    }
    return m->zones == 1 ? "z1" : m->zones == 2 ? "z1 z2" : m->zones == 3 ? "z1 z2 z3" : "z1 z2 z3 z4 z5";
}

const char *known_key(struct maker *m, const char *keys)
{
    const char *key = word(m, keys);
    if (chance(m, 20)) {
        return key;
    }
    if (strcmp(key, "team") == 0 && m->percent[POOL_LABELS] == 0) {
        return ZONE;
    }
    if (strcmp(key, "rack") == 0 && m->percent[POOL_REQUIREMENTS] == 0) {
        return CAPACITY_TYPE;
    }
    return strcmp(key, ARCH) == 0 && m->percent[MULTI_ARCH] == 0 ? "family" : key;
}

static const char *a_key(struct maker *m, bool pool)
{
    static const char common[] = ZONE " " ZONE " " CAPACITY_TYPE " " ARCH " size family integer team rack " TYPE
                                      " accel";
    if (has(m, OLD_KEYS)) {
        return OLD_ZONE;
    }
    return !pool && chance(m, 8) ? word(m, SYSTEM " " NODEPOOL " " NODEPOOL) : known_key(m, common);
}

json_t *expression(struct maker *m, bool pool)
{
    const char *key = a_key(m, pool);
    const char *op = word(m, pool ? "In In In NotIn Exists Gte Lte Gt Lt"
                                  : "In In In NotIn NotIn Exists DoesNotExist Gt Lt");
    unsigned all = count_words(values_of(m, key));
    if (strchr("GL", *op) != NULL) {
        json_t *bound = json_pack("[s]", *op == 'G' ? word(m, "0 1 1 2 4") : word(m, "3 4 8 16 17 20"));
        return entry("integer", op, bound);
    }
    if (strcmp(op, "In") == 0) {
        const char *values = values_of(m, key);
        return entry(key, op, some_words(m, values, 1 + below(m, all)));
    }
    if (strcmp(op, "NotIn") == 0) {
        const char *values = values_of(m, key);
        return entry(key, op, some_words(m, values, chance(m, 80) ? 1 : 2));
    }
    return entry(strcmp(op, "DoesNotExist") == 0 ? word(m, "accel team rack accel size") : key, op, NULL);
}

void put(json_t *to, const char *key, const char *value) { json_object_set_new(to, key, json_string(value)); }

void put_some(struct maker *m, json_t *to, const char *keys, const char *values)
{
    const char *key = word(m, keys);
    put(to, key, word(m, values));
}

json_t *object(struct maker *m, const char *api, const char *kind, const char *namespace, const char *name)
{
    const char *uid = text(m, "uid-%02x-%04d", below(m, 256), m->serial++);
    json_t *metadata = json_pack("{s:s, s:s, s:s}", "name", name, "uid", uid, "creationTimestamp",
                                 ago(m, 90000 + 100 * below(m, 5)));
    json_t *out = json_pack("{s:s, s:s, s:o}", "apiVersion", api, "kind", kind, "metadata", metadata);
    if (namespace != NULL) {
        put(metadata, "namespace", namespace);
    }
    json_array_append_new(m->objects, out);
    return out;
}

json_t *condition(struct maker *m, const char *type, const char *status, const char *reason)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "type", type, "status", status, "reason", reason, "message", "",
                     "lastTransitionTime", ago(m, 60 * below(m, 120)));
}
