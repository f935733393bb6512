/* SPDX-License-Identifier: Apache-2.0 */
/* Objects whose fields the bytes fill, given to a builder. */
#ifndef FUZZ_TYPED_OBJECTS_H
#define FUZZ_TYPED_OBJECTS_H

#include "typed_source.h"

void typed_settings(karp_builder *b, source *s);
/* Up to three instance types. */
karp_status typed_types(karp_context *context, karp_builder *b, source *s, karp_error *error);
/* One object of any kind. */
karp_status typed_object(karp_builder *b, source *s, karp_error *error);

#endif
