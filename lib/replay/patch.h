/* SPDX-License-Identifier: Apache-2.0 */
/* What turns one object into another: JSON merge patches (RFC 7386), which recordings have. */
#pragma once

#include <io/table.h>
#include <json/tree.h>

/* The members of `to` that differ, and null for those that `from` alone has. NULL = out of memory. */
tree *patch_between(trees *t, const tree *from, const tree *to);
/* Changes the map, which is the caller's, but not the nodes below it. */
void patch_apply(trees *t, tree *to, const tree *patch);

/* Objects as JSON by "Kind/namespace/name", as a reader of a recording knows them. */
typedef struct patch_book {
    io_table index;
    karp_str *texts; /* ptr NULL = none */
    size_t count, capacity;
} patch_book;

void patch_book_init(patch_book *b, karp_context *context);
void patch_book_free(patch_book *b);
/* "Kind/namespace/name"; key->failed on a failure. */
void patch_key(strbuf *key, const tree *object);
bool patch_book_put(patch_book *b, karp_str key, const tree *object); /* false = out of memory */
/* What an entry of a line's `patched` is now: {"object": KEY, "like": KEY of another one, "patch": …}. NULL = `why`, or
 * out of memory where that is NULL. */
tree *patch_book_turn(patch_book *b, trees *t, const tree *entry, const char **why);
