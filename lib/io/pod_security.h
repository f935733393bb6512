/* SPDX-License-Identifier: Apache-2.0 */
/* Pod Security admission: the label pod-security.kubernetes.io/enforce of a Namespace. */
#pragma once

#include <io/reader.h>

/* Why the level of its namespace refuses the pods; nothing is written if it takes them, or if the namespace is not in
 * the input. */
void io_pod_security_refuses(const karp_reader *reader, const tree *spec, karp_str namespace_, char *why, size_t room);
