/* SPDX-License-Identifier: Apache-2.0 */
/* The headers of libkarp-io, from where ../c.h takes those of libkarp. */
#ifndef KARP_GO_DOCUMENT_C_H
#define KARP_GO_DOCUMENT_C_H

#if defined(KARP_GO_INSTALLED)
#include <karp/compare.h>
#include <karp/io.h>
#include <karp/peer.h>
#include <karp/replay.h>
#else
#include "../c.h"
#include "karp-io.h"
#endif

#endif
