/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resolves YAML scalars by YAML 1.1, as Kubernetes' tools read it: yes, on and y are true, 0777 is octal, 1_000 is a
 * number. But times remain text, and sexagesimal numbers are not supported.
 */
#pragma once

#include <json/tree.h>

typedef enum io_scalar { IO_SCALAR_OK, IO_SCALAR_NOT_FINITE, IO_SCALAR_WRONG_TAG, IO_SCALAR_NUL } io_scalar;

/* `tag` is NULL if the scalar has none. `plain` = neither quoted nor a block scalar. Out of memory is recorded in
 * `t`. */
io_scalar io_yaml_scalar(trees *t, karp_str text, const char *tag, bool plain, tree **out);
