/* SPDX-License-Identifier: Apache-2.0 */
/* The instance types of Cluster API, which are objects of the input. */
#pragma once

#include <io/reader.h>

/* Whether node classes of that group are Cluster API's, and the input has MachineDeployments. */
bool io_is_cluster_api(const karp_reader *reader, karp_str group);
/* The tables of labels. */
const karp_settings *io_cluster_api_labels(void);
/* Gives each of its NodePools the types of its node class. Errors: NOMEM, INVALID (an amount or a selector). */
karp_status io_give_cluster_api(karp_reader *reader);
