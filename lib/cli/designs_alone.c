/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the effect of each difference alone: plans the first design with only this difference applied. */
#include "designs.h"

#include <string.h>

#include <karp/library.h>

enum { MOST_ALONE = 12 };

static void count(karp_str object, karp_str field, karp_str before, karp_str after, void *user)
{
    (void)object;
    (void)field;
    (void)before;
    (void)after;
    ++*(size_t *)user;
}

/* A difference that cannot be applied alone (e.g. a NodePool without its new node class) is left out. */
static karp_status plan_alone(const design *first, design *d, size_t number, const karp_change *changes,
                              size_t change_count)
{
    design one = { .name = d->name, .options = first->options };
    cli_difference laid = { first->input.reader, d->input.reader, number };
    karp_error error;
    karp_error_init(&error, sizeof error);
    one.options.laid = &laid;
    karp_status status = KARP_OK;
    if (input_read(&one.options, true, &one.input)) {
        status = design_decide(&one, changes, change_count, &error);
        if (status == KARP_OK) status = design_add_up(&one);
        if (status == KARP_OK) d->alone[number] = (design_alone){ true, one.price, one.left };
    }
    design_free(&one);
    return status == KARP_E_NOMEM || status == KARP_E_CANCELED ? status : KARP_OK;
}

karp_status design_plan_alone(const design *first, design *d, const karp_change *changes, size_t change_count)
{
    size_t fields = 0;
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_reader_compare(first->input.reader, d->input.reader, count, &fields, &error);
    if (status != KARP_OK || fields < 2 || fields > MOST_ALONE) return status;
    d->alone = karp_alloc(d->options.context, fields * sizeof *d->alone);
    if (d->alone == NULL) return KARP_E_NOMEM;
    memset(d->alone, 0, fields * sizeof *d->alone);
    d->alone_count = fields;
    output_suppress(true);
    for (size_t i = 0; i < fields && status == KARP_OK; i++) status = plan_alone(first, d, i, changes, change_count);
    output_suppress(false);
    return status;
}
