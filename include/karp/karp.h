/* SPDX-License-Identifier: Apache-2.0 */
/** @file karp.h  All of libkarp. (io.h belongs to libkarp-io and is included by itself.) */
#ifndef KARP_KARP_H
#define KARP_KARP_H

#include <karp/base.h>
#include <karp/blockers.h>
#include <karp/catalogue.h>
#include <karp/certificate.h>
#include <karp/columns.h>
#include <karp/command.h>
#include <karp/decision.h>
#include <karp/devices.h>
#include <karp/disrupt.h>
#include <karp/explain.h>
#include <karp/fit.h>
#include <karp/lifecycle.h>
#include <karp/lint.h>
#include <karp/objective.h>
#include <karp/objects.h>
#include <karp/peer.h>
#include <karp/reasons.h>
#include <karp/repack.h>
#include <karp/schedule.h>
#include <karp/snapshot.h>
#include <karp/values.h>
#include <karp/what_if.h>

#endif
