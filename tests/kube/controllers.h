/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of the models of Kubernetes' controllers. */
#ifndef TESTS_KUBE_CONTROLLERS_H
#define TESTS_KUBE_CONTROLLERS_H

#include <json/tree.h>

/* Prints a line for each case: {"kind", "in"}. */
void answer_cases(karp_context *context, arena *memory, const tree *cases);

void answer_deployment(karp_context *context, const tree *in); /* rollouts.c */
void answer_stateful(const tree *in); /* stateful.c */
void answer_job(karp_context *context, const tree *in); /* jobs.c */
void answer_nodes(const tree *in); /* nodes.c */

#endif
