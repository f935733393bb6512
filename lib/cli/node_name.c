/* SPDX-License-Identifier: Apache-2.0 */
/* Finds nodes by a part of their names. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#include <karp/library.h>

/* A search for nodes whose names contain the given text. */
typedef struct name_search {
    karp_str found; /* the node with exactly that name, else the first match */
    size_t count; /* number of matches; 1 if a node has exactly that name */
    char names[160]; /* names of the first few */
} name_search;

static bool is_part(karp_str name, karp_str part)
{
    for (size_t k = 0; k + part.len <= name.len; k++) {
        if (memcmp(name.ptr + k, part.ptr, part.len) == 0) return true;
    }
    return false;
}

static void note_name(name_search *s, karp_str name)
{
    enum { NAMED = 3 };
    size_t used = strlen(s->names);
    if (s->count++ == 0) s->found = name;
    if (s->count <= NAMED) {
        (void)snprintf(s->names + used, sizeof(s->names) - used, "%s%.*s", used > 0 ? ", " : "",
                       name.len < 40 ? (int)name.len : 40, name.ptr);
    } else if (s->count == NAMED + 1) {
        (void)snprintf(s->names + used, sizeof(s->names) - used, ", …");
    }
}

static void search_names(karp_table *nodes, karp_str given, name_search *s)
{
    karp_column names = { .size = sizeof(names) };
    if (karp_table_find(nodes, (karp_str){ "name", 4 }, &names) != KARP_OK || names.type != KARP_COLUMN_TEXT) return;
    for (size_t i = 0; i < names.row_count; i++) {
        karp_str name = { (const char *)names.values + names.offsets[i],
                          (size_t)(names.offsets[i + 1] - names.offsets[i]) };
        if (!is_part(name, given)) continue;
        if (name.len == given.len) {
            s->found = name;
            s->count = 1;
            return;
        }
        note_name(s, name);
    }
}

karp_status find_node_name(karp_table *nodes, karp_str *name, karp_error *error)
{
    name_search s = { .found = *name };
    if (name->len > 0) search_names(nodes, *name, &s);
    *name = s.found;
    if (s.count <= 1) return KARP_OK;
    error->status = KARP_E_INVALID;
    (void)snprintf(error->message, sizeof(error->message), "%zu nodes have that in their names: %s", s.count, s.names);
    return KARP_E_INVALID;
}

karp_status what_if(const cli_options *options, const karp_snapshot *snapshot, const karp_change *changes,
                    size_t change_count, const karp_options *common, karp_decision **plan, karp_error *error)
{
    karp_table *nodes = NULL;
    size_t bytes = change_count * sizeof(*changes);
    karp_change *named = karp_alloc(options->context, bytes + 1);
    karp_status status = named == NULL ? KARP_E_NOMEM
                                       : karp_snapshot_table(snapshot, KARP_TABLE_SNAPSHOT_NODES, &nodes, error);
    for (size_t i = 0; i < change_count && status == KARP_OK; i++) {
        named[i] = changes[i];
        if (changes[i].kind == KARP_CHANGE_REMOVE_NODE) {
            status = find_node_name(nodes, &named[i].name, error);
        }
    }
    if (status == KARP_OK) {
        status = karp_what_if(snapshot, named, change_count, common, plan, error);
    }
    karp_table_free(nodes);
    karp_free(options->context, named, bytes + 1);
    return status;
}
