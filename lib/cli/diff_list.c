/* SPDX-License-Identifier: Apache-2.0 */
#include "diff.h"

#include <string.h>

#include <karp/library.h>

static bool add(const cli_options *options, diff_list *list, const diff_row *before, const diff_row *after)
{
    if (list->count == list->room) {
        size_t room = list->room == 0 ? 32 : list->room * 2;
        difference *larger = karp_alloc(options->context, room * sizeof *larger);
        if (larger == NULL) return false;
        if (list->count > 0) memcpy(larger, list->items, list->count * sizeof *larger);
        karp_free(options->context, list->items, list->room * sizeof *larger);
        list->items = larger;
        list->room = room;
    }
    list->items[list->count++] = (difference){ .before = before, .after = after };
    return true;
}

karp_status diff_find(const cli_options *options, const diff_side *a, const diff_side *b, diff_list *out)
{
    size_t i = 0, j = 0;
    bool ok = true;
    *out = (diff_list){ .a = a, .b = b };
    while (ok && (i < a->row_count || j < b->row_count)) {
        bool same_subject = false;
        int order = i == a->row_count   ? 1
                    : j == b->row_count ? -1
                                        : diff_compare(a, &a->rows[i], b, &b->rows[j], &same_subject);
        if (order == 0) {
            i++;
            j++;
        } else if (same_subject) {
            ok = add(options, out, &a->rows[i++], &b->rows[j++]);
        } else if (order < 0) {
            ok = add(options, out, &a->rows[i++], NULL);
        } else {
            ok = add(options, out, NULL, &b->rows[j++]);
        }
    }
    return ok ? KARP_OK : KARP_E_NOMEM;
}

void diff_list_free(const cli_options *options, diff_list *list)
{
    karp_free(options->context, list->items, list->room * sizeof *list->items);
    *list = (diff_list){ 0 };
}
