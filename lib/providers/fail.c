/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/fail.h>

#include <base/error.h>
#include <stdio.h>

karp_status provider_fail(karp_error *error, karp_status status, const char *field, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vfail(error, status, format, arguments);
    va_end(arguments);
    error_set_field(error, "%s", field);
    return status;
}

uint32_t provider_problem(karp_provider_problem *problem, uint32_t kind, const char *field, const char *format, ...)
{
    problem->kind = kind;
    (void)snprintf(problem->field, sizeof problem->field, "%s", field);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(problem->message, sizeof problem->message, format, arguments);
    va_end(arguments);
    return kind;
}

uint32_t provider_no_memory(karp_provider_problem *problem)
{
    return provider_problem(problem, KARP_PROVIDER_NO_MEMORY, "", "out of memory");
}

uint32_t provider_problem_of(karp_provider_problem *problem, const karp_error *error)
{
    uint32_t kind = error->status == KARP_E_NOMEM         ? KARP_PROVIDER_NO_MEMORY
                    : error->status == KARP_E_NOT_FOUND   ? KARP_PROVIDER_NOT_FOUND
                    : error->status == KARP_E_UNSUPPORTED ? KARP_PROVIDER_UNSUPPORTED
                                                          : KARP_PROVIDER_INVALID;
    problem->line = error->line;
    (void)snprintf(problem->object, sizeof problem->object, "%.*s", (int)sizeof problem->object - 1, error->object);
    return provider_problem(problem, kind, error->field, "%s", error->message);
}
