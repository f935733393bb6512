/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of the providers' room. */
#ifndef PROVIDERS_FAIL_H
#define PROVIDERS_FAIL_H

#include <karp/provider.h>

/* Fills *error (NULL allowed) and returns status. */
karp_status provider_fail(karp_error *error, karp_status status, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
karp_status provider_nomem(karp_error *error);
/* INVALID: what must be given is NULL. */
karp_status provider_null(karp_error *error, const char *what);

/* The same for the inside of a plugin: fills what the host gave and returns the kind. */
uint32_t provider_problem(karp_provider_problem *problem, uint32_t kind, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A status and its error as a problem. */
uint32_t provider_problem_of(karp_provider_problem *problem, const karp_error *error);

#endif
