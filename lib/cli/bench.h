/* SPDX-License-Identifier: Apache-2.0 */
/* What `karp bench` measures besides files. */
#pragma once

#include "cli.h"

typedef struct bench_question {
    unsigned ask; /* what the inputs know it by; 0 = one decision */
    uint32_t method; /* KARP_METHOD_*, ANY = a launch decision */
    bool edits; /* the decision is made on an edited snapshot */
} bench_question;

/* Inputs that have names. */
typedef struct bench_inputs {
    /* Prints one line per family of inputs ("b1-1000 …"), with its contents. */
    void (*list)(void);
    /* Whether the name is a family's prefix with a number of pods. */
    bool (*known)(const char *name);
    /* Adds all objects of the input to the builder. *question receives what to decide. Errors: those of the builder;
     * INVALID for an unknown name. */
    karp_status (*fill)(karp_context *context, const char *name, karp_builder *builder, bench_question *question,
                        karp_error *error);
    karp_status (*edit)(karp_snapshot **snapshot, bench_question question, unsigned turn, karp_error *error);
    /* Makes the decisions. *out receives the (last) decision, *asked the number of decisions. */
    karp_status (*answer)(const karp_snapshot *snapshot, bench_question question, karp_decision **out, size_t *asked,
                          karp_error *error);
} bench_inputs;

/* Those of tests/bench/inputs.h. NULL in a program that is built without the tests: it measures files only. */
extern const bench_inputs *const bench_named;

/* A decision with the method. */
karp_status bench_decide(const karp_snapshot *snapshot, uint32_t method, karp_decision **out, karp_error *error);
