/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of resources as columns of a table: a column per resource, the nearest double in the resource's own unit. */
#ifndef MODEL_RESOURCE_COLUMNS_H
#define MODEL_RESOURCE_COLUMNS_H

#include <base/columns.h>
#include <model/resources.h>

/* Every resource of the list will have a column. */
void resource_columns_mention(amount_columns *a, const strings *resources, resource_list list);

/* The list's amounts into row[a->count], by the columns' ids; 0 for what it does not name. */
void resource_columns_row(const amount_columns *a, const strings *resources, resource_list list, double *row);

#endif
