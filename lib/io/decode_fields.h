/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading by the rows of records (records/record.h). The records of input objects are in decode_*.c. Fields are decoded
 * in the order of the rows, and only the first of several faults is reported. Each table is used twice: io_decode()
 * fills a struct from a tree, and fields.c notes the fields that a closed record does not have.
 */
#pragma once

#include <io/decode.h>
#include <io/kinds.h>
#include <records/rows.h>
#include <records/tables.h>

/* ---- decoding ---------------------------------------------------------------------------------------------------- */

/* Fills the whole struct. `object` may be NULL, which is an object without members. */
void io_decode(io_decoder *d, const record *r, const tree *object, void *into);
/* Fills only the members whose fields are present and leaves the others unchanged. */
void io_decode_members(io_decoder *d, const record *r, const tree *object, void *into);
/* Decodes a list of structs of the record; NULL and 0 when it is absent. */
const void *io_list(io_decoder *d, const tree *object, const char *name, const record *r, size_t *count);
/* Fills the structs from `array`, which may be NULL. */
void io_fill_list(io_decoder *d, const char *name, const tree *array, const record *r, void *list);
/* The next name in the record's `known` list. *at starts at 0 and is advanced. "" = there are no more. */
karp_str record_known(const record *r, size_t *at);
/* Whether the record has this member. *inner receives the record of the member's value, if `inner` is not NULL. */
bool record_knows(const record *r, const tree_member *member, const record **inner);

/* ---- shared records, and the records of whole objects ------------------------------------------------------------ */

extern const record io_meta_record, io_namespaced_meta_record, io_pool_template_meta_record; /* decode_common.c */
extern const record io_shared_meta_record, io_own_meta_record; /* the two parts of io_namespaced_meta_record */
extern const record io_selector_record, io_node_term_record;
extern const record io_pool_requirement_record, io_condition_record;
extern const record io_spread_record;
extern const record io_pod_record, io_pod_spec_record, io_template_record; /* decode_pod.c */
extern const record io_node_record, io_node_claim_record, io_node_pool_record,
    io_node_overlay_record; /* decode_objects.c */
extern const record io_workload_record, io_claim_record, io_volume_record, io_storage_class_record; /* likewise */
extern const record io_pod_group_record, io_composite_group_record, io_member_group_record; /* groups.c */
extern const record io_csi_node_record, io_budget_record, io_namespace_record, io_capacity_buffer_record;

/* The initial values of structs. */
#define META_ABSENT                                                                                                    \
    {                                                                                                                  \
        .creation = KARP_NO_TIME, .deletion = KARP_NO_TIME                                                             \
    }
#define POD_ABSENT                                                                                                     \
    {                                                                                                                  \
        .size = sizeof(karp_pod), .meta = META_ABSENT, .termination_grace_seconds = -1, .start_time = KARP_NO_TIME     \
    }

/* ---- decode_devices.c: dynamic resource allocation (DRA) --------------------------------------------------------- */

extern const record io_resource_claim_record, io_resource_slice_record, io_device_class_record;
/* Decodes the entry's `dynamicResources`, if present. */
void io_decode_type_devices(io_decoder *d, const tree *entry, karp_instance_type *type);

/* Records whose values are not decoded: only the names of their fields are known. */
#define PART(text, record_)                                                                                            \
    {                                                                                                                  \
        NAMED_FIELD(text), .inner = &(record_)                                                                         \
    }
#define METADATA PART("metadata", io_namespaced_meta_record)
#define WHOLE(spec_) .known = "apiVersion kind status", CLOSED(METADATA, PART("spec", spec_))
#define ONLY(names) .known = (names), .closed = true
