/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a VM size's name, and whether the provider lists the size. */
#ifndef AZURE_NAMES_H
#define AZURE_NAMES_H

#include <base/str.h>

/* Standard_NC24ads_A100_v4 has family N, subfamily C, features ads, accelerator A100 and version v4. */
typedef struct azure_name {
    karp_str family, sub, features, accelerator, version; /* "" = absent */
    bool constrained; /* fewer vCPUs than the full size: E4-2ads_v5 */
} azure_name;

/* false = the provider does not recognise the name. */
bool azure_name_read(karp_str name, azure_name *out);
/* Whether the size is never listed, by its name alone. */
bool azure_name_barred(karp_str name);

/* GPU sizes that the provider supports. */
enum { AZURE_GPU_UBUNTU = 1, AZURE_GPU_AZURELINUX = 2, AZURE_GPU_AMD = 4 };
/* false = not found. */
bool azure_gpu_find(karp_str name, uint32_t *flags);

#endif
