/* SPDX-License-Identifier: Apache-2.0 */
#include <base/paged.h>

#include <string.h>

void paged_init(paged *p, karp_context *context, size_t element_bytes)
{
    memset(p, 0, sizeof *p);
    p->context = context;
    p->element_bytes = element_bytes;
}

static size_t whole_page(const paged *p) { return page_elements(p->element_bytes); }

/* Capacity of each page: only a single page may be smaller than a whole one. */
static size_t capacity_of_pages(const paged *p) { return p->page_size < whole_page(p) ? p->page_size : whole_page(p); }

static char *page_new(const paged *p, size_t elements) { return block_new(p->context, elements, p->element_bytes); }

void paged_free(paged *p)
{
    for (size_t i = 0; i < p->page_count; i++) block_unref(p->list[i]);
    mem_free(p->context, p->list, p->page_capacity * sizeof *p->list);
    paged_init(p, p->context, p->element_bytes);
}

bool paged_continue(paged *p, const paged *from)
{
    if (from->page_count == 0) return true;
    char **list = mem_alloc(p->context, from->page_count * sizeof *list);
    if (list == NULL) return false;
    memcpy(list, from->list, from->page_count * sizeof *list);
    for (size_t i = 0; i < from->page_count; i++) (void)block_ref(list[i]);
    p->list = list;
    p->page_count = p->page_capacity = from->page_count;
    p->count = from->count;
    p->page_size = from->page_size;
    p->continued = true;
    return true;
}

/* Doubles the size of a small page. */
static bool widen_page(paged *p)
{
    enum { LEAST = 8 };
    size_t page_size = p->page_size == 0 ? LEAST : p->page_size * 2;
    if (page_size > whole_page(p)) page_size = whole_page(p);
    char *page = page_new(p, page_size);
    if (page == NULL) return false;
    if (p->page_count == 0) {
        if (!grow(p->context, (void **)&p->list, &p->page_capacity, 1, sizeof *p->list)) {
            block_unref(page);
            return false;
        }
        p->page_count = 1;
    } else {
        memcpy(page, p->list[0], p->count * p->element_bytes);
        block_unref(p->list[0]);
    }
    p->list[0] = page;
    p->page_size = page_size;
    return true;
}

static bool add_page(paged *p)
{
    if (!grow(p->context, (void **)&p->list, &p->page_capacity, p->page_count + 1, sizeof *p->list)) return false;
    char *page = page_new(p, whole_page(p));
    if (page == NULL) return false;
    p->list[p->page_count++] = page;
    p->page_size += whole_page(p);
    return true;
}

bool paged_reserve(paged *p)
{
    if (p->count >= UINT32_MAX - 1) return false;
    if (p->count == p->page_size && !(p->page_size < whole_page(p) ? widen_page(p) : add_page(p))) return false;
    return paged_own(p, p->count) != NULL;
}

bool paged_fill(paged *p, size_t count)
{
    while (p->count < count) {
        if (!paged_reserve(p)) {
            paged_free(p);
            return false;
        }
        size_t more = p->page_size < count ? p->page_size : count;
        memset(paged_at(p, p->count, p->element_bytes), 0, (more - p->count) * p->element_bytes);
        p->count = more;
    }
    return true;
}

void *paged_own(paged *p, size_t i)
{
    char **page = &p->list[i >> page_shift(p->element_bytes)];
    if (p->continued && block_shared(*page)) {
        char *own = page_new(p, capacity_of_pages(p));
        if (own == NULL) return NULL;
        size_t first = i & ~(size_t)(whole_page(p) - 1), there = p->count > first ? p->count - first : 0;
        memcpy(own, *page, (there < capacity_of_pages(p) ? there : capacity_of_pages(p)) * p->element_bytes);
        block_unref(*page);
        *page = own;
    }
    return paged_at(p, i, p->element_bytes);
}
