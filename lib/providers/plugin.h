/* SPDX-License-Identifier: Apache-2.0 */
/* Function tables of plugins: checks and copies them, whatever their origin. */
#ifndef PROVIDERS_PLUGIN_H
#define PROVIDERS_PLUGIN_H

#include <providers/fail.h>

/* Copies those members of the table that this library knows; the rest of *copy is zero. */
karp_status plugin_check(const karp_provider_plugin *given, karp_provider_plugin *copy, karp_error *error);

/* Opens a shared object and checks its table. *object is for plugin_unload(). */
karp_status plugin_load(const char *path, void **object, karp_provider_plugin *copy, karp_error *error);
void plugin_unload(void *object); /* NULL is permitted */

/* The built-in plugins. */
extern const karp_provider_plugin aws_plugin, azure_plugin, file_plugin, gcp_plugin;
const karp_provider_plugin *plugin_builtin(size_t index); /* NULL beyond the end */

#endif
