/* SPDX-License-Identifier: Apache-2.0 */
/* Azure's table, for the library it is built into and for the shared object of its own. */
#ifndef AZURE_PLUGIN_H
#define AZURE_PLUGIN_H

#include <karp/provider.h>

extern const karp_provider_plugin azure_plugin;

#endif
