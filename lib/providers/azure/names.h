/* SPDX-License-Identifier: Apache-2.0 */
/* What the name of a VM size tells, and whether the provider lists it at all. */
#ifndef AZURE_NAMES_H
#define AZURE_NAMES_H

#include <base/str.h>

/* Standard_NC24ads_A100_v4 is of family N, subfamily C, has features ads, accelerator A100 and version v4. */
typedef struct azure_name {
    karp_str family, sub, features, accelerator, version; /* "" = the name has none */
    bool constrained; /* fewer vCPUs than the size has: E4-2ads_v5 */
} azure_name;

/* false = the name is none that the provider understands. */
bool azure_name_read(karp_str name, azure_name *out);
/* Sizes that are never listed, by their names alone. */
bool azure_name_barred(karp_str name);

/* gpus.c: sizes with GPUs that the provider knows. */
enum { AZURE_GPU_UBUNTU = 1, AZURE_GPU_AZURELINUX = 2, AZURE_GPU_AMD = 4 };
/* false = not among them. */
bool azure_gpu_find(karp_str name, uint32_t *flags);

#endif
