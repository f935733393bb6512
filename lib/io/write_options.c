/* SPDX-License-Identifier: Apache-2.0 */
#include <base/error.h>
#include "reader.h"
#include "write_buffer.h"

#include <string.h>

void karp_write_options_init(karp_write_options *options, size_t size)
{
    if (options == NULL || size < sizeof(options->size)) {
        return;
    }
    memset(options, 0, size);
    options->size = size;
}

karp_status check_write_options(const karp_write_options *given, karp_write_options *copy, karp_error *error)
{
    *copy = (karp_write_options){ .size = sizeof(*copy), .width = 100 };
    if (given == NULL) {
        return KARP_OK;
    }
    karp_status status = struct_check(given, sizeof(*copy), SIZE_THROUGH(karp_write_options, warning_count), copy,
                                      "karp_write_options", error);
    if (status != KARP_OK) return status;
    if (copy->width == 0) {
        copy->width = 100;
    }
    return KARP_OK;
}
