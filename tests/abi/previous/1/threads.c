/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One snapshot, many threads: each asks what losing one of the nodes would mean. A snapshot never changes, so nothing
 * is locked; every decision has memory of its own. example-threads FILE...
 */
#include <pthread.h>
#include <stdio.h>

#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/karp.h>
#include <karp/what_if.h>

enum { MOST_THREADS = 64 };

typedef struct question {
    const karp_snapshot *snapshot;
    karp_str node;
    karp_status status;
    size_t launches, unschedulable;
    double cost;
} question;

static void *ask(void *user)
{
    question *q = user;
    const karp_change change = { .kind = KARP_CHANGE_REMOVE_NODE, .name = q->node };
    karp_decision *plan = NULL;
    q->status = karp_what_if(q->snapshot, &change, 1, NULL, &plan, NULL);
    if (q->status != KARP_OK) return NULL;
    q->launches = karp_decision_launch_count(plan);
    q->unschedulable = karp_decision_unschedulable_count(plan);
    q->cost = karp_decision_cost_after(plan);
    karp_decision_unref(plan);
    return NULL;
}

static int ask_all(const karp_snapshot *snapshot)
{
    pthread_t threads[MOST_THREADS];
    question questions[MOST_THREADS];
    size_t count = 0;
    int failed = 0;
    for (; count < MOST_THREADS; count++) {
        karp_str node = karp_snapshot_node_name(snapshot, count);
        if (node.ptr == NULL) break;
        questions[count] = (question){ .snapshot = snapshot, .node = node };
        if (pthread_create(&threads[count], NULL, ask, &questions[count]) != 0) break;
    }
    for (size_t i = 0; i < count; i++) {
        const question *q = &questions[i];
        pthread_join(threads[i], NULL);
        failed = failed || q->status != KARP_OK;
        printf("without %-8s %s, %zu to start, %zu pods fit nowhere, $%.4f/h\n", q->node.ptr,
               karp_status_name(q->status), q->launches, q->unschedulable, q->cost);
    }
    return failed;
}

int main(int argc, char **argv)
{
    karp_error error;
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_snapshot *snapshot = NULL;
    karp_error_init(&error, sizeof error);
    karp_status status = karp_context_new(NULL, &context, &error);
    if (status == KARP_OK) status = karp_reader_new(context, NULL, &reader, &error);
    for (int i = 1; i < argc && status == KARP_OK; i++) status = karp_reader_add_path(reader, argv[i], &error);
    if (status == KARP_OK) status = karp_reader_finish(reader, &snapshot, &error);
    int failed = status == KARP_OK ? ask_all(snapshot) : 1;
    if (status != KARP_OK) fprintf(stderr, "%s %s: %s\n", error.document, error.object, error.message);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_context_unref(context);
    return failed;
}
