/* SPDX-License-Identifier: Apache-2.0 */
/* Copies devices, for the builder (slices, claims) and for catalogues (templates). The copier records failures. */
#ifndef MODEL_DEVICES_COPY_H
#define MODEL_DEVICES_COPY_H

#include <model/copy.h>
#include <model/devices.h>

amount copy_amount(copier *c, karp_str text, const char *field);
device_list copy_devices(copier *c, const karp_device *list, size_t count);
counter_sets copy_counter_sets(copier *c, const char *field, const karp_counter_set *list, size_t count);
/* Capacity of devices: any names, not only names of node resources. */
named_amounts copy_shares(copier *c, const karp_resource *list, size_t count);

/* NULL when the type has neither templates nor bindings. */
const struct type_devices *copy_type_devices(copier *c, const karp_instance_type *given);
/* Fills the members of karp_catalogue_type()'s result that are about devices, with copies in the catalogue's arena. */
void show_type_devices(copier *c, const karp_instance_type *given, karp_instance_type *shown);

#endif
