/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON document as a list of its leaves, for plugins without a JSON parser. */
#ifndef PROVIDERS_FIELDS_H
#define PROVIDERS_FIELDS_H

#include <providers/fail.h>
#include <providers/scratch.h>

/* Errors: SYNTAX, LIMIT (nesting), NOMEM. The error contains the document's name. */
karp_status fields_of(scratch *s, karp_str name, karp_str text, karp_provider_document *out, karp_error *error);

#endif
