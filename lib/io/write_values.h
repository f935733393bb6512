/* SPDX-License-Identifier: Apache-2.0 */
/* What write_json.h does where JSON is handed over as values (karp/document.h): nothing is laid out. */
#pragma once

#include "write_json.h"

/* The name of the next value. */
void values_name(json_out *j, karp_str name);
/* A value; an array or object is open from then on. */
void values_add(json_out *j, const karp_value *value);
void values_text(json_out *j, karp_str text);
/* The value that this JSON is. */
void values_json(json_out *j, karp_str json);
/* Null if it is not finite. */
void values_real(json_out *j, double real);
