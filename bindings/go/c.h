/* SPDX-License-Identifier: Apache-2.0 */
/* The headers of libkarp: those of the library that is installed (-tags libkarp or karp_static), else of karp.c beside
 * this. */
#ifndef KARP_GO_C_H
#define KARP_GO_C_H

#if defined(KARP_GO_INSTALLED)
#include <karp/admit.h>
#include <karp/builder.h>
#include <karp/columns.h>
#include <karp/command.h>
#include <karp/devices.h>
#include <karp/explain.h>
#include <karp/fit.h>
#include <karp/groups.h>
#include <karp/inspect.h>
#include <karp/karp.h>
#include <karp/library.h>
#include <karp/lifecycle.h>
#include <karp/objective.h>
#include <karp/passes.h>
#include <karp/peer.h>
#include <karp/prices.h>
#include <karp/repack.h>
#include <karp/settings.h>
#include <karp/what_if.h>
#elif defined(__has_include)
#if __has_include("karp.h")
#include "karp.h"
#else
#error "no karp.c beside it: in the source tree build with -tags libkarp, or stage it (bindings/stage.py go)"
#endif
#else
#include "karp.h"
#endif

#endif
