/* SPDX-License-Identifier: Apache-2.0 */
/** @file version.h  The version of these headers. The build, the soname and karp_version() take theirs from here. */
#ifndef KARP_VERSION_H
#define KARP_VERSION_H

#define KARP_VERSION_MAJOR 1
#define KARP_VERSION_MINOR 0
#define KARP_VERSION_PATCH 0
/** "-rc1" before the release of that version, then "". Only karp_version() has it. */
#define KARP_VERSION_STAGE "-rc1"

/** 0xMMmmpp: comparable as an integer. */
#define KARP_VERSION_NUMBER (((KARP_VERSION_MAJOR) << 16) | ((KARP_VERSION_MINOR) << 8) | (KARP_VERSION_PATCH))

#endif
