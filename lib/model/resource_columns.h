/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of resources as columns of a table: one column per resource, with the nearest double in the resource's own
 * unit.
 */
#ifndef MODEL_RESOURCE_COLUMNS_H
#define MODEL_RESOURCE_COLUMNS_H

#include <base/columns.h>
#include <model/resources.h>

/* Adds a column for every resource of the list. */
void resource_columns_mention(amount_columns *a, const strings *resources, resource_list list);

/* Writes the list's amounts to row[a->count], by column; 0 for resources that are not in the list. */
void resource_columns_row(const amount_columns *a, const strings *resources, resource_list list, double *row);

#endif
