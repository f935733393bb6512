/* SPDX-License-Identifier: Apache-2.0 */
/* A builder in a context that counts its memory, and short ways to write objects and to look into the store. */
#ifndef SUPPORT_BUILDING_H
#define SUPPORT_BUILDING_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <base/sort.h>
#include <model/builder.h>
#include <model/quantity.h>
#include <support/fault.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define T(text)                                                                                                        \
    {                                                                                                                  \
        text, sizeof(text) - 1                                                                                         \
    }
#define AMOUNT(resource, quantity)                                                                                     \
    {                                                                                                                  \
        .name = T(resource), .text = T(quantity)                                                                       \
    }

typedef struct building {
    fault fault;
    karp_context *context;
    karp_builder *b;
    store *s;
    karp_error error;
} building;

static inline int building_set_up(void **state)
{
    static building f;
    memset(&f, 0, sizeof f);
    karp_error_init(&f.error, sizeof f.error);
    f.context = fault_context(&f.fault);
    if (!f.context || karp_builder_new(f.context, &f.b, &f.error) != KARP_OK) return -1;
    f.s = &f.b->s;
    *state = &f;
    return 0;
}

static inline int building_tear_down(void **state)
{
    building *f = *state;
    karp_context_unref(f->context); /* the builder holds it */
    karp_builder_free(f->b);
    return f->fault.live_blocks == 0 && f->fault.live_bytes == 0 && f->fault.wrong_sizes == 0 ? 0 : -1;
}

/* Success, with the error shown otherwise. */
static inline void good(building *f, karp_status status)
{
    if (status != KARP_OK) print_message("%s %s: %s\n", f->error.object, f->error.field, f->error.message);
    assert_int_equal(status, KARP_OK);
}

static inline void bad(building *f, karp_status status, karp_status expected, const char *named, const char *field)
{
    assert_int_equal(status, expected);
    assert_int_equal(f->error.status, expected);
    assert_string_equal(f->error.object, named);
    assert_string_equal(f->error.field, field);
    assert_true(f->error.message[0] != '\0');
}

static inline uint32_t text_id(const building *f, const char *text)
{
    return strings_find(&f->s->text, text, strlen(text));
}
static inline uint32_t name_id(const building *f, const char *text)
{
    return strings_find(&f->s->names, text, strlen(text));
}

/* "cpu=1 memory=2Gi", ordered by resource id. */
static inline const char *list_text(const building *f, resource_list list)
{
    static char text[512];
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < list.count; i++) {
        char value[QUANTITY_TEXT];
        (void)quantity_format((quantity){ .value = list.items[i].value, .binary = list.items[i].binary }, value);
        const char *name = strings_get(&f->s->resources, list.items[i].resource).ptr;
        size_t need = strlen(name) + strlen(value) + 2;
        if (length + need >= sizeof text) break;
        if (i > 0) text[length++] = ' ';
        memcpy(text + length, name, strlen(name));
        length += strlen(name);
        text[length++] = '=';
        memcpy(text + length, value, strlen(value) + 1);
        length += strlen(value);
    }
    return text;
}

#endif
