/* SPDX-License-Identifier: Apache-2.0 */
#include "plans.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A plan becomes a list of lines, one for each thing decided; equal plans have equal sorted lists. */
struct lines {
    char **items;
    size_t count;
};

struct text {
    char *at;
    size_t length;
};

static void out_of_memory(void)
{
    fputs("out of memory\n", stderr);
    exit(1);
}

static void append(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(struct text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int more = vsnprintf(NULL, 0, format, args);
    char *at = more < 0 ? NULL : realloc(t->at, t->length + (size_t)more + 1);
    if (at == NULL) {
        out_of_memory();
        return;
    }
    vsnprintf(at + t->length, (size_t)more + 1, format, again);
    t->at = at;
    t->length += (size_t)more;
    va_end(again);
    va_end(args);
}

static void add_line(struct lines *lines, struct text line)
{
    char **items = realloc(lines->items, (lines->count + 1) * sizeof *items);
    if (items == NULL) {
        out_of_memory();
        return;
    }
    lines->items = items;
    lines->items[lines->count++] = line.at;
}

static void free_lines(struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->items[i]);
    }
    free(lines->items);
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static const char *string_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

/** The texts of a list, sorted unless their order matters. */
static void append_list(struct text *t, const json_t *array, bool sorted)
{
    size_t count = json_array_size(array);
    const char **items = calloc(count + 1, sizeof *items);
    if (items == NULL) {
        out_of_memory();
        return;
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = json_string_value(json_array_get(array, i));
        items[i] = items[i] != NULL ? items[i] : "?";
    }
    if (sorted && count > 1) {
        qsort(items, count, sizeof *items, by_text);
    }
    append(t, "[");
    for (size_t i = 0; i < count; i++) {
        append(t, "%s%s", i > 0 ? " " : "", items[i]);
    }
    append(t, "]");
    free(items);
}

static bool is_internal(const char *key)
{
    return strcmp(key, "kubernetes.io/hostname") == 0 || strcmp(key, "karpenter.sh/registered") == 0 ||
           strcmp(key, "karpenter.sh/initialized") == 0;
}

/** One line an entry; an Exists that only accompanies a bound says nothing. */
static void add_requirements(struct lines *lines, const char *name, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *r = json_array_get(list, i), *least = json_object_get(r, "minValues");
        const char *key = string_at(r, "key"), *op = string_at(r, "operator");
        bool bounded = false;
        for (size_t j = 0; j < json_array_size(list); j++) {
            const json_t *other = json_array_get(list, j);
            bounded = bounded ||
                      (strcmp(string_at(other, "key"), key) == 0 && strchr("GL", *string_at(other, "operator")));
        }
        if (is_internal(key) || (bounded && strcmp(op, "Exists") == 0)) {
            continue;
        }
        struct text line = { NULL, 0 };
        append(&line, "%s requires %s %s ", name, key, op);
        append_list(&line, json_object_get(r, "values"), true);
        if (json_is_integer(least)) {
            append(&line, " minValues %lld", (long long)json_integer_value(least));
        }
        add_line(lines, line);
    }
}

static void add_launches(struct lines *lines, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *launch = json_array_get(list, i);
        struct text name = { NULL, 0 }, line = { NULL, 0 }, types = { NULL, 0 };
        append(&name, "launch %s ", string_at(launch, "nodePool"));
        append_list(&name, json_object_get(launch, "pods"), true);
        append(&line, "%s", name.at);
        append(&types, "%s of ", name.at);
        append_list(&types, json_object_get(launch, "instanceTypes"), false);
        add_line(lines, line);
        add_line(lines, types);
        add_requirements(lines, name.at, json_object_get(launch, "requirements"));
        free(name.at);
    }
}

static void add_pods(struct lines *lines, const char *what, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct text line = { NULL, 0 };
        append(&line, "%s %s", what, string_at(json_array_get(list, i), "pod"));
        add_line(lines, line);
    }
}

static bool read_plan(const char *text, struct lines *lines)
{
    json_t *plan = json_loads(text, 0, NULL);
    const json_t *placements = json_object_get(plan, "placements");
    *lines = (struct lines){ NULL, 0 };
    add_launches(lines, json_object_get(plan, "launches"));
    for (size_t i = 0; i < json_array_size(placements); i++) {
        const json_t *placement = json_array_get(placements, i);
        struct text line = { NULL, 0 };
        append(&line, "node %s takes ", string_at(placement, "node"));
        append_list(&line, json_object_get(placement, "pods"), true);
        add_line(lines, line);
    }
    add_pods(lines, "unschedulable", json_object_get(plan, "unschedulable"));
    add_pods(lines, "ignored", json_object_get(plan, "ignored"));
    if (lines->count > 1) {
        qsort(lines->items, lines->count, sizeof lines->items[0], by_text);
    }
    bool ok = json_is_array(json_object_get(plan, "launches"));
    json_decref(plan);
    return ok;
}

/** A line with its middle left out if it is long. */
static void append_short(struct text *t, const char *side, const char *line)
{
    size_t length = strlen(line);
    if (length <= 400) {
        append(t, "  only %s: %s\n", side, line);
    } else {
        append(t, "  only %s: %.200s ... %s\n", side, line, line + length - 180);
    }
}

char *plans_difference(const char *reference, const char *library)
{
    enum { SHOWN = 6 };
    struct lines a, b;
    struct text out = { NULL, 0 };
    size_t i = 0, j = 0, shown = 0;
    bool ok_a = read_plan(reference, &a), ok_b = read_plan(library, &b);
    if (!ok_a || !ok_b) {
        append(&out, "  the answer of the %s is no Plan\n", ok_a ? "library" : "reference");
    }
    while ((i < a.count || j < b.count) && shown < SHOWN) {
        int order = i == a.count ? 1 : j == b.count ? -1 : strcmp(a.items[i], b.items[j]);
        if (order != 0) {
            append_short(&out, order < 0 ? "reference" : "library", order < 0 ? a.items[i] : b.items[j]);
            shown++;
        }
        i += order <= 0;
        j += order >= 0;
    }
    free_lines(&a);
    free_lines(&b);
    return out.at;
}
