/* SPDX-License-Identifier: Apache-2.0 */
/* What AWS's provider adds to Karpenter's own tables of labels. */
#ifndef AWS_LABEL_TABLES_H
#define AWS_LABEL_TABLES_H

#include <karp/provider.h>

/* Sets the tables of `into` and nothing else; the lists live for ever. Well-known labels are sorted. */
void aws_label_tables(karp_provider_labels *into);

#endif
