/* SPDX-License-Identifier: Apache-2.0 */
#include <model/resource_columns.h>

void resource_columns_mention(amount_columns *a, const strings *resources, resource_list list)
{
    for (uint32_t i = 0; i < list.count; i++) amount_columns_mention(a, strings_get(resources, list.items[i].resource));
}

void resource_columns_row(const amount_columns *a, const strings *resources, resource_list list, double *row)
{
    for (size_t i = 0; i < a->count; i++) row[i] = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t id = amount_columns_find(a, strings_get(resources, list.items[i].resource));
        if (id != NO_ID && id < a->count) row[id] = amount_double(list.items[i].value);
    }
}
