/* SPDX-License-Identifier: Apache-2.0 */
/* Copying devices: shared by the builder (slices, claims) and by catalogues (templates). Failures are the copier's. */
#ifndef MODEL_DEVICES_COPY_H
#define MODEL_DEVICES_COPY_H

#include <model/copy.h>
#include <model/devices.h>

amount copy_amount(copier *c, karp_str text, const char *field);
device_list copy_devices(copier *c, const karp_device *list, size_t count);
counter_sets copy_counter_sets(copier *c, const char *field, const karp_counter_set *list, size_t count);
/* Shares of capacity: names of any kind, not resources of nodes. */
named_amounts copy_shares(copier *c, const karp_resource *list, size_t count);

/* NULL when the type has none of both. */
const struct type_devices *copy_type_devices(copier *c, const karp_instance_type *given);
/* What karp_catalogue_type() answers: copies in the catalogue's arena. */
void show_type_devices(copier *c, const karp_instance_type *given, karp_instance_type *shown);

#endif
