/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of candidates: common parts of the providers' filters. */
#pragma once

#include <base/admit.h>
#include <karp/provider.h>

const karp_offering *launch_offering(const karp_provider_launch *launch, karp_provider_candidate candidate);
/* The offering's single value of a label; "" = it has none. */
karp_str launch_label(const karp_offering *offering, const char *key);
karp_str launch_capacity_type(const karp_offering *offering);
/* The first capacity type in the order reserved, spot, on-demand that is allowed and has a usable offering; "" =
 * none. */
karp_str launch_first_capacity_type(const karp_provider_launch *launch);
/* The cheapest usable candidate of launch->capacity_type; ties are broken by name, zone and order. false = none. */
bool launch_cheapest(const karp_provider_launch *launch, karp_provider_candidate *out);

/* Sets a label in a list that has space for it. */
void launch_set_label(karp_label *list, size_t *count, karp_str key, karp_str value);
/* Lists all labels of a type and one of its offerings that are determined: In with a single value. The list has space
 * for all their requirements. Returns the number of labels. */
size_t launch_labels(const karp_instance_type *type, const karp_offering *o, karp_label *list);
