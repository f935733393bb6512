/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done between two polls of should_stop:   polls plan|disrupt OBJECTS TYPES
 *
 * Linked with the library in one file that the compiler has instrumented (-fsanitize-coverage=trace-pc): each basic
 * block counts. Prints a line for each call: its name, the most blocks without a poll, and how many polls there were.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "karp-io.h"
#include "karp.h"

void __sanitizer_cov_trace_pc(void);

static uint64_t blocks, most, polls;

void __sanitizer_cov_trace_pc(void) { blocks++; }

static void poll_seen(void)
{
    if (blocks > most) most = blocks;
    blocks = 0;
}

static int32_t should_stop(void *user)
{
    (void)user;
    polls++;
    poll_seen();
    return 0;
}

static void done(const char *name, karp_status status)
{
    poll_seen();
    printf("%s %llu %llu %s\n", name, (unsigned long long)most, (unsigned long long)polls, karp_status_name(status));
    most = polls = blocks = 0;
}

static karp_str whole_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) exit(2);
    char *text = NULL;
    size_t length = 0, room = 0;
    for (size_t got = 1; got > 0; length += got) {
        if (room - length < 65536) text = realloc(text, room = room * 2 + 131072);
        if (text == NULL) exit(2);
        got = fread(text + length, 1, 65536, file);
    }
    fclose(file);
    return (karp_str){ text, length };
}

static void write_all(karp_context *context, const karp_decision *d, bool disrupts)
{
    static const char *const names[] = { "json", "text", "yaml", "log", "html" };
    static const uint32_t formats[] = { KARP_FORMAT_JSON, KARP_FORMAT_TEXT, KARP_FORMAT_YAML, KARP_FORMAT_JSON_LOG,
                                        KARP_FORMAT_HTML };
    karp_write_options options;
    karp_write_options_init(&options, sizeof options);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        karp_text text = { NULL, 0, NULL };
        options.format = formats[i];
        if (disrupts && (options.format == KARP_FORMAT_YAML || options.format == KARP_FORMAT_JSON_LOG)) continue;
        done(names[i], disrupts ? karp_write_disruption(context, d, &options, &text, NULL)
                                : karp_write_plan(context, d, NULL, &options, &text, NULL));
        karp_text_free(&text);
        blocks = 0;
    }
}

static void check(const karp_snapshot *snapshot, karp_context *context, const karp_decision *d)
{
    karp_text text = { NULL, 0, NULL };
    karp_plan_document *plan = NULL;
    karp_verification *found = NULL;
    if (karp_write_plan(context, d, NULL, NULL, &text, NULL) != KARP_OK) exit(2);
    most = polls = blocks = 0;
    done("plan-read", karp_plan_read(context, (karp_str){ "plan", 4 }, (karp_str){ text.ptr, text.len }, &plan, NULL));
    done("verify", karp_verify(snapshot, karp_plan_document_plan(plan), &found, NULL));
    karp_verification_free(found);
    karp_plan_document_free(plan);
    karp_text_free(&text);
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    bool disrupts = strcmp(argv[1], "disrupt") == 0;
    karp_str objects = whole_file(argv[2]), types = whole_file(argv[3]);
    karp_context_options options;
    karp_context *context = NULL;
    karp_reader *reader = NULL;
    karp_catalogue *catalogue = NULL;
    karp_snapshot *snapshot = NULL;
    karp_decision *d = NULL;
    karp_context_options_init(&options, sizeof options);
    options.should_stop = should_stop;
    if (karp_context_new(&options, &context, NULL) != KARP_OK) return 2;
    done("types", karp_catalogue_read(context, (karp_str){ "types", 5 }, types, &catalogue, NULL));
    if (karp_reader_new(context, NULL, &reader, NULL) != KARP_OK ||
        karp_reader_add_catalogue(reader, catalogue, NULL) != KARP_OK)
        return 2;
    done("read", karp_reader_add(reader, (karp_str){ "objects.json", 12 }, objects, NULL));
    done("finish", karp_reader_finish(reader, &snapshot, NULL));
    done(argv[1], disrupts ? karp_disrupt(snapshot, NULL, &d, NULL) : karp_provision(snapshot, NULL, &d, NULL));
    write_all(context, d, disrupts);
    if (!disrupts) check(snapshot, context, d);
    karp_decision_unref(d);
    karp_snapshot_unref(snapshot);
    karp_reader_free(reader);
    karp_catalogue_unref(catalogue);
    karp_context_unref(context);
    free((void *)(uintptr_t)objects.ptr);
    free((void *)(uintptr_t)types.ptr);
    return 0;
}
