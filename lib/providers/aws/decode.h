/* SPDX-License-Identifier: Apache-2.0 */
/* Reading members of JSON objects: the first failure is kept, with its field, and later ones change nothing. */
#ifndef AWS_DECODE_H
#define AWS_DECODE_H

#include <jansson.h>

#include <providers/fail.h>
#include <providers/match.h>
#include <providers/members.h>
#include <providers/scratch.h>

typedef struct decoder {
    scratch *s;
    karp_error *error;
    karp_status status;
    char part[96]; /* of the object: "spec.kubelet" … */
} decoder;

void decode_at(decoder *d, const char *part);
void decode_at_element(decoder *d, const char *list, size_t index);
/* INVALID at a member of the part; "" = the part itself. */
void decode_bad(decoder *d, const char *name, const char *message);

/* NULL = absent, or null. */
const json_t *decode_member(const json_t *object, const char *name);
const json_t *decode_object(decoder *d, const json_t *object, const char *name);
size_t decode_list(decoder *d, const json_t *object, const char *name, const json_t **list);
karp_str decode_text(decoder *d, const json_t *object, const char *name); /* "" = absent */
bool decode_flag(decoder *d, const json_t *object, const char *name);
/* A count that the API keeps in 32 bits; 0 = absent. */
int64_t decode_count(decoder *d, const json_t *object, const char *name);
/* The same where it must be there, and not 0. */
int64_t decode_some(decoder *d, const json_t *object, const char *name);

/* A whole text; an object. NULL = the failure is in *d. */
json_t *decode_tree(decoder *d, karp_str text, const char *what);

#endif
