/* SPDX-License-Identifier: Apache-2.0 */
/* What an instance type brings in devices, as a catalogue states it. */
#ifndef IO_WRITE_DEVICES_H
#define IO_WRITE_DEVICES_H

#include <karp/devices.h>

#include "write_json.h"

/* The member "dynamicResources" of an entry, when the type has any. */
void write_type_devices(json_out *j, const karp_instance_type *type);

#endif
