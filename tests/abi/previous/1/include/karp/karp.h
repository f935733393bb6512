/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file karp.h  What most programs need: objects and catalogues in, launch and disruption decisions out.
 *
 * docs/embedding.md lists its functions on one page. Everything else is included by name: inspect.h, settings.h,
 * builder.h, prices.h, columns.h, objective.h, passes.h, explain.h and the others; io.h, provider.h and replay.h belong
 * to libkarp-io.
 */
#ifndef KARP_KARP_H
#define KARP_KARP_H

#include <karp/base.h>
#include <karp/catalogue.h>
#include <karp/decision.h>
#include <karp/disrupt.h>
#include <karp/objects.h>
#include <karp/reasons.h>
#include <karp/schedule.h>
#include <karp/snapshot.h>

#endif
