/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clouds of the input: which provider each NodePool has, and which region. They are what the caller named, or else
 * what the input shows: by node classes, providerIDs, labels, zones. Failures leave their error in reader->error.
 */
#pragma once

#include <io/reader.h>

void io_clouds_init(karp_reader *reader);
void io_clouds_free(karp_reader *reader);
/* Fails when no provider has the name that the caller gave. */
karp_status io_clouds_check(karp_reader *reader);

/* Whether providers supply the instance types. */
bool io_builtin_types(const karp_reader *reader);

/* Notes what an object shows of its cloud. */
void io_note_cloud(karp_reader *reader, const io_kind_info *info, const tree *root);
/* What names a region or a zone. */
enum { IO_RANK_NODE, IO_RANK_POOL, IO_RANK_VOLUME, IO_RANK_POD, IO_RANK_OTHER };

/* Notes a region that the input names, or a zone. The lowest rank wins; among equal ranks the first. What only asks for
 * a zone, as pods do, does not show that the cluster has it. false = out of memory. */
bool io_note_region(karp_reader *reader, karp_str place, bool zone, uint32_t rank);

/* Decides which clouds are used. A NodePool of an unknown cloud is an error, unless its instance types are given. */
karp_status io_settle_clouds(karp_reader *reader);
/* Notes that NodePools are of several clouds. */
karp_status io_clouds_note(karp_reader *reader);
/* The number of a NodePool's cloud: that of its provider for plugin_builtin(), or the last one for the provider that
 * was given. IO_NONE = the cloud is unknown. */
uint32_t io_cloud_of_pool(const karp_reader *reader, const io_deferred *pool);
/* That of node class objects of this group and kind. IO_NONE = the reader has no provider that reads them. */
uint32_t io_cloud_of_class(const karp_reader *reader, karp_str group, karp_str kind);
/* The group that a nodeClassRef names; "" = none. */
karp_str io_group_of_class(const tree *ref);
/* The group of a known provider that is spelt much alike. NULL = none is. */
const char *io_group_meant(karp_str group);
/* Group and kind of the node class that a NodePool or NodeClaim has if it states none. `spec` contains its
 * requirements. */
void io_usual_class(const karp_reader *reader, const tree *spec, karp_str *group, karp_str *kind);

/* The cloud's region: the caller's, or that of the input. "" = the provider's usual one. */
karp_str io_cloud_region(const karp_reader *reader, uint32_t cloud);
/* Whether the region is one that the input names, and not the caller. */
bool io_region_is_stated(const karp_reader *reader, uint32_t cloud);
/* Adds "+ZONE,ZONE": the zones of the region that the input names, for the setting of the cloud's provider that adds
 * them to those it assumes. false = out of memory. */
bool io_cloud_zones(const karp_reader *reader, uint32_t cloud, karp_str region, strbuf *names);
/* The provider, opened for the region. */
karp_status io_cloud_open(karp_reader *reader, uint32_t cloud, karp_provider **out);
/* Replaces a catalogue of the cloud by one whose types do not have the labels of the other clouds that are used
 * (cloud_labels.c). */
karp_status io_deny_labels(karp_reader *reader, uint32_t cloud, karp_catalogue **catalogue);
/* A provider that reads node classes before the region is known. */
karp_status io_cloud_checker(karp_reader *reader, uint32_t cloud, karp_provider **out);
