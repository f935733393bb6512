/* SPDX-License-Identifier: Apache-2.0 */
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
    *copy = (karp_write_options){.size = sizeof(*copy), .width = 100};
    if (given == NULL) {
        return KARP_OK;
    }
    if (given->size < sizeof(*copy) || given->size > 4096) {
        return write_fail(error, KARP_E_ABI_SIZE, "karp_write_options has an impossible size");
    }
    const unsigned char *bytes = (const unsigned char *)given;
    for (size_t i = sizeof(*copy); i < given->size; i++) {
        if (bytes[i] != 0) {
            return write_fail(error, KARP_E_ABI_NEW, "karp_write_options has options this library does not know");
        }
    }
    memcpy(copy, given, sizeof(*copy));
    copy->size = sizeof(*copy);
    if (copy->width == 0) {
        copy->width = 100;
    }
    return KARP_OK;
}
