/* SPDX-License-Identifier: Apache-2.0 */
/* The labels that AWS's provider adds to Karpenter's label tables. */
#ifndef AWS_LABEL_TABLES_H
#define AWS_LABEL_TABLES_H

#include <karp/provider.h>

/* Sets only the tables of `into`; the lists live forever. Well-known labels are sorted. */
void aws_label_tables(karp_provider_labels *into);

#endif
