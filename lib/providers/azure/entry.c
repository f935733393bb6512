/* SPDX-License-Identifier: Apache-2.0 */
/* Of the shared object alone: what a host looks for in it. */
#include <providers/azure/plugin.h>

__attribute__((visibility("default"))) const karp_provider_plugin *karp_provider_entry(void);

const karp_provider_plugin *karp_provider_entry(void) { return &azure_plugin; }
