/* SPDX-License-Identifier: Apache-2.0 */
/* Members that several JSON documents share: quantities, labels, lists of names, the chosen offering. */
#ifndef IO_WRITE_MEMBERS_H
#define IO_WRITE_MEMBERS_H

#include "write_json.h"

/* A value: an array of strings. */
void json_strings(json_out *j, const karp_str *values, size_t count);

void json_member_strings(json_out *j, const char *key, const karp_str *values, size_t count);
/* {"cpu": "4", …} on one line. */
void json_member_resources(json_out *j, const char *key, const karp_resource *list, size_t count);
void json_member_labels(json_out *j, const char *key, const karp_label *labels, size_t count);

/* The members for the chosen offering. The caller opens and ends the object around them. */
void json_choice_members(json_out *j, const karp_choice *choice);

#endif
