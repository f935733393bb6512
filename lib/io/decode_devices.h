/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of dynamic resource allocation, and what a catalogue entry says about devices. */
#ifndef IO_DECODE_DEVICES_H
#define IO_DECODE_DEVICES_H

#include <io/decode.h>
#include <io/kinds.h>

/* Decodes a ResourceSlice, DeviceClass or ResourceClaim and adds it (builder NULL: decodes only). Templates of claims are
 * read by nobody. The decoder's failures are its own; those of the builder are in *error. */
karp_status io_use_devices(io_decoder *d, const io_kind_info *info, const tree *object, karp_builder *builder,
                           karp_error *error);

/* `dynamicResources` of an entry, if it has it. */
void io_decode_type_devices(io_decoder *d, const tree *entry, karp_instance_type *type);

#endif
