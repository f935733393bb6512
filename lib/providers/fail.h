/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of providers. */
#pragma once

#include <karp/provider.h>

/* Fills *error (NULL allowed) and returns status. */
karp_status provider_fail(karp_error *error, karp_status status, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same inside a plugin: fills the host's struct and returns the kind. */
uint32_t provider_problem(karp_provider_problem *problem, uint32_t kind, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
uint32_t provider_no_memory(karp_provider_problem *problem);
/* Converts a status and its error to a problem. */
uint32_t provider_problem_of(karp_provider_problem *problem, const karp_error *error);
