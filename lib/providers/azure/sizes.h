/* SPDX-License-Identifier: Apache-2.0 */
/* Azure's VM sizes: what is known of each, and what its name tells. Like all of this folder it needs nothing of libkarp. */
#ifndef AZURE_SIZES_H
#define AZURE_SIZES_H

#include <stdbool.h>

#include <karp/provider.h>

typedef struct azure_size {
    const char *name; /* Standard_D4s_v5 */
    int32_t vcpus;
    int32_t memory_gib;
    int32_t temporary_gb; /* of the local disk, where an ephemeral OS disk goes; 0 = there is none */
    double on_demand; /* dollars an hour in the region of the table, Linux */
} azure_size;

extern const azure_size azure_sizes[]; /* by name */
extern const size_t azure_size_count;

/* What a name consists of: Standard_E4-2ads_v5 is of family E with 4 vCPUs, of which 2 are used, features ads, version 5. */
typedef struct azure_name {
    karp_str family; /* "D", "NC" */
    karp_str features; /* small letters */
    int32_t vcpus, used;
    karp_str version; /* "1" where the name has none */
    bool arm64; /* p */
    bool premium; /* s: premium storage */
    bool local_disk; /* d */
} azure_name;

/* false = it is no size's name. */
bool azure_name_read(const char *name, azure_name *out);

#endif
