/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the devices of an instance type in a catalogue's format. */
#ifndef IO_WRITE_DEVICES_H
#define IO_WRITE_DEVICES_H

#include <karp/devices.h>

#include "write_json.h"

/* Writes the entry's member "dynamicResources", if the type has any. */
void write_type_devices(json_out *j, const karp_instance_type *type);

#endif
