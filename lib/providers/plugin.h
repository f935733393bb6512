/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin's table: checked and copied, wherever it is from. */
#ifndef PROVIDERS_PLUGIN_H
#define PROVIDERS_PLUGIN_H

#include <providers/fail.h>

/* Copies what this library knows of the table; the rest of *copy is zero. */
karp_status plugin_check(const karp_provider_plugin *given, karp_provider_plugin *copy, karp_error *error);

/* Opens a shared object and checks its table. *object is for plugin_unload(). */
karp_status plugin_load(const char *path, void **object, karp_provider_plugin *copy, karp_error *error);
void plugin_unload(void *object); /* NULL is allowed */

/* The built-in ones. */
extern const karp_provider_plugin aws_plugin, azure_plugin, file_plugin, gcp_plugin;
const karp_provider_plugin *plugin_builtin(size_t index); /* NULL beyond the end */

#endif
