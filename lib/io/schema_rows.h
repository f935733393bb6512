/* SPDX-License-Identifier: Apache-2.0 */
/* Macros for records whose values are not decoded: only the names of their fields are known. */
#pragma once

#include <io/decode_fields.h>

#define PART(text, record_)                                                                                            \
    {                                                                                                                  \
        NAMED_FIELD(text), .inner = &(record_)                                                                         \
    }
#define METADATA PART("metadata", io_namespaced_meta_record)
#define WHOLE(spec_) .known = "apiVersion kind status", CLOSED(METADATA, PART("spec", spec_))
#define ONLY(names) .known = (names), .closed = true
