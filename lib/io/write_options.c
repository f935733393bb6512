/* SPDX-License-Identifier: Apache-2.0 */
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
    karp_status status = io_check_options(given, sizeof(*copy));
    if (status == KARP_E_ABI_SIZE) return write_fail(error, status, "karp_write_options has an impossible size");
    if (status != KARP_OK)
        return write_fail(error, status, "karp_write_options has options this library does not know");
    memcpy(copy, given, sizeof(*copy));
    copy->size = sizeof(*copy);
    if (copy->width == 0) {
        copy->width = 100;
    }
    return KARP_OK;
}
