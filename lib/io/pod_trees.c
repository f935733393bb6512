/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trees of the pods of a List take more memory than anything made of them. They are in batches, and a batch is
 * freed when its pods have been added. What pods share is not in them.
 */
#include <io/reader.h>

enum {
    PODS_IN_A_BATCH = 1536,
    BYTES_OF_A_BATCH = 1 << 22,
    FIRST_BLOCK = 1 << 20 /* a large block goes back to the system when it is freed; small ones leave gaps */
};

trees *io_pod_trees_open(karp_reader *reader)
{
    io_pod_trees *p = &reader->pod_trees;
    io_pod_batch *last = p->count > 0 ? &p->list[p->count - 1] : NULL;
    if (last && last->pods++ < PODS_IN_A_BATCH && last->trees.memory.total < BYTES_OF_A_BATCH) return &last->trees;
    if (!grow(reader->context, (void **)&p->list, &p->capacity, p->count + 1, sizeof *p->list)) return NULL;
    last = &p->list[p->count++];
    *last = (io_pod_batch){ .trees = trees_on(reader->context),
                            .from = reader->deferred_count,
                            .end = reader->deferred_count };
    if (p->count == 1) return &last->trees; /* there may be few pods */
    const void *block = arena_alloc(&last->trees.memory, FIRST_BLOCK);
    trees_clear(&last->trees);
    return block ? &last->trees : NULL;
}

void io_pod_trees_close(karp_reader *reader, size_t from)
{
    io_pod_trees *p = &reader->pod_trees;
    io_pod_batch *last = &p->list[p->count - 1];
    last->mixed = last->mixed || from != last->end;
    last->end = reader->deferred_count;
    for (size_t i = from; i < reader->deferred_count; i++)
        last->stays = last->stays || reader->deferred[i].info->kind != IO_KIND_POD;
}

size_t io_other(const karp_reader *reader, size_t number)
{
    const io_pod_trees *p = &reader->pod_trees;
    size_t from = 0;
    for (size_t to = p->count; from < to;) { /* the first batch that ends behind the number */
        size_t middle = from + (to - from) / 2;
        if (p->list[middle].end <= number) from = middle + 1;
        else to = middle;
    }
    for (; from < p->count && p->list[from].from <= number; from++) {
        if (p->list[from].stays || p->list[from].mixed) return number;
        number = p->list[from].end;
    }
    return number;
}

void io_pod_trees_free(karp_reader *reader, size_t added)
{
    io_pod_trees *p = &reader->pod_trees;
    for (; p->freed < p->count && p->list[p->freed].end <= added; p->freed++) {
        io_pod_batch *batch = &p->list[p->freed];
        if (batch->stays || batch->trees.has_texts) continue;
        for (size_t i = batch->from; i < batch->end; i++) {
            if (reader->deferred[i].info->kind == IO_KIND_POD) reader->deferred[i].root = NULL;
        }
        trees_free(&batch->trees);
    }
}

void io_pod_trees_end(karp_reader *reader)
{
    io_pod_trees *p = &reader->pod_trees;
    for (size_t i = 0; i < p->count; i++) trees_free(&p->list[i].trees);
    mem_free(reader->context, p->list, p->capacity * sizeof *p->list);
}
