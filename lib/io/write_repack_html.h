/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IO_WRITE_REPACK_HTML_H
#define IO_WRITE_REPACK_HTML_H

#include "write_decision.h"

/* Writes the cost curve and the steps of a repack plan into a page of write_plan_html.c. */
karp_status repack_picture(const write_job *job);

#endif
