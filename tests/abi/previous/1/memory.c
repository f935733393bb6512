/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A decision inside narrow bounds: an allocator of one's own that refuses beyond a budget, and a decision that is
 * stopped. Neither leaves anything behind; the snapshot can be asked again. example-memory FILE...
 */
#include <stdio.h>
#include <stdlib.h>

#include <karp/io.h>
#include <karp/karp.h>

typedef struct budget {
    size_t used, most;
} budget;

static void *take(size_t bytes, void *user)
{
    budget *b = user;
    if (bytes > b->most - b->used) return NULL;
    void *memory = malloc(bytes);
    if (memory != NULL) b->used += bytes;
    return memory;
}

static void *resize(void *memory, size_t old_bytes, size_t new_bytes, void *user)
{
    budget *b = user;
    if (new_bytes > old_bytes && new_bytes - old_bytes > b->most - b->used) return NULL;
    void *moved = realloc(memory, new_bytes);
    if (moved != NULL) b->used = b->used - old_bytes + new_bytes;
    return moved;
}

static void give(void *memory, size_t bytes, void *user)
{
    ((budget *)user)->used -= bytes;
    free(memory);
}

static int32_t stop_now(void *user)
{
    ++*(int *)user;
    return 1;
}

static karp_status load(karp_context *context, int count, char **paths, karp_snapshot **out, karp_error *error)
{
    karp_reader *reader = NULL;
    karp_status status = karp_reader_new(context, NULL, &reader, error);
    for (int i = 0; i < count && status == KARP_OK; i++) status = karp_reader_add_path(reader, paths[i], error);
    if (status == KARP_OK) status = karp_reader_finish(reader, out, error);
    karp_reader_free(reader);
    return status;
}

static karp_status decide(const karp_snapshot *snapshot, const char *how, const karp_options *options,
                          karp_error *error)
{
    karp_decision *plan = NULL;
    karp_status status = karp_provision(snapshot, options, &plan, error);
    if (status == KARP_OK) printf("%s: %zu to start\n", how, karp_decision_launch_count(plan));
    else printf("%s: %s\n", how, karp_status_name(status));
    karp_decision_unref(plan);
    return status;
}

int main(int argc, char **argv)
{
    budget memory = { 0, SIZE_MAX };
    const karp_allocator allocator = { sizeof allocator, take, resize, give, &memory };
    karp_context_options context_options;
    karp_options options;
    karp_error error;
    karp_context *context = NULL;
    karp_snapshot *snapshot = NULL;
    int asked = 0;

    karp_error_init(&error, sizeof error);
    karp_context_options_init(&context_options, sizeof context_options);
    context_options.allocator = &allocator;
    karp_options_init(&options, sizeof options);
    options.should_stop = stop_now;
    options.stop_user = &asked;

    karp_status status = karp_context_new(&context_options, &context, &error);
    if (status == KARP_OK) status = load(context, argc - 1, argv + 1, &snapshot, &error);
    if (status == KARP_OK) {
        size_t before = memory.used;
        memory.most = memory.used + 16384;
        (void)decide(snapshot, "with 16 KiB more", NULL, &error);
        memory.most = SIZE_MAX;
        (void)decide(snapshot, "stopped at the first question", &options, &error);
        options.should_stop = NULL;
        options.max_steps = 2500;
        options.keep_partial = 1;
        (void)decide(snapshot, "2,500 steps, and what there is by then", &options, &error);
        status = decide(snapshot, "with all it wants", NULL, &error);
        printf("left behind: %zu bytes\n", memory.used - before);
    }
    if (status != KARP_OK) fprintf(stderr, "%s %s: %s\n", error.document, error.object, error.message);
    karp_snapshot_unref(snapshot);
    karp_context_unref(context);
    printf("in use at the end: %zu bytes\n", memory.used);
    return status == KARP_OK && memory.used == 0 ? 0 : 1;
}
