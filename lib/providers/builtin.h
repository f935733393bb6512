/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in providers, and how an input shows that its nodes are of their clouds. */
#pragma once

#include <providers/plugin.h>

typedef struct builtin_plugin {
    const karp_provider_plugin *plugin;
    /* The rest is NULL if no input shows the provider, so that it has to be named. */
    const char *usual_region;
    /* Length of the region's name in the name of a zone, or of a region. 0 = the cloud has no such names. */
    size_t (*region_length)(karp_str place, bool zone);
    const char *scheme; /* what the providerIDs of its nodes begin with */
    /* What the providerID of a node begins with before its zone, and between the zone and its id; NULL = it also has
     * parts that no plan contains. */
    const char *before_zone, *before_id;
    const char *const *domains; /* of labels that its nodes and NodePools have, up to NULL; subdomains as well */
    /* The setting with the cluster's zones; if its value begins with +, zones besides those that the provider assumes.
     * NULL = it assumes all zones of the region. */
    const char *zones_setting;
    const char *release_1_14; /* its setting `release` for Karpenter 1.14; NULL = all versions have one release */
    const char *other_group; /* of node classes whose nodes have its types, although it does not read them */
    const char *usual_class; /* what nodes are assumed to have if the input lacks their class */
} builtin_plugin;

/* A provider is a folder, which has its builtin_plugin, and its name in these two lines. The first one is that of an
 * input that shows none. */
extern const builtin_plugin aws_builtin, azure_builtin, gcp_builtin, kwok_builtin, file_builtin;
#define BUILTIN_PLUGINS &aws_builtin, &azure_builtin, &gcp_builtin, &kwok_builtin, &file_builtin

const builtin_plugin *plugin_builtin(size_t index); /* NULL beyond the end */
uint32_t plugin_builtin_index(const builtin_plugin *builtin); /* the place of one of them */
const builtin_plugin *plugin_builtin_named(karp_str name); /* NULL = there is none */
/* That of a node class's group, or of its kind if the group is not stated. NULL = there is none. */
const builtin_plugin *plugin_builtin_for_class(karp_str group, karp_str kind);
/* Whether the providerID is one of its nodes. */
bool plugin_has_id(const builtin_plugin *builtin, karp_str provider_id);
/* The providerID of a node that only a plan has. false = none can be made. */
bool plugin_make_id(const builtin_plugin *builtin, karp_str zone, karp_str id, char *into, size_t room);
/* Whether the label's key is in one of its domains. */
bool plugin_has_label(const builtin_plugin *builtin, karp_str key);
/* As the member of that name; 0 for a provider without regions. */
size_t plugin_region_length(const builtin_plugin *builtin, karp_str place, bool zone);
