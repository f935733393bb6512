/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the objects of dynamic resource allocation (DRA), and the devices of a catalogue entry. */
#ifndef IO_DECODE_DEVICES_H
#define IO_DECODE_DEVICES_H

#include <io/decode.h>
#include <io/kinds.h>

/* Decodes a ResourceSlice, DeviceClass or ResourceClaim and adds it (builder NULL: decodes only). A
 * ResourceClaimTemplate is ignored. Decoding failures are recorded in the decoder, the builder's in *error. */
karp_status io_use_devices(io_decoder *d, const io_kind_info *info, const tree *object, karp_builder *builder,
                           karp_error *error);

/* Decodes the entry's `dynamicResources`, if present. */
void io_decode_type_devices(io_decoder *d, const tree *entry, karp_instance_type *type);

#endif
