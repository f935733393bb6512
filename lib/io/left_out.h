/* SPDX-License-Identifier: Apache-2.0 */
/* With `skip_unknown` a plain object with a wrong value is left out, and is a problem. */
#pragma once

#include <io/reader.h>

/* Takes the failure of an object, in reader->error, as a problem. Returns the status of a failure that is none of the
 * object's values, or of every one without `skip_unknown`. */
karp_status io_leave_out(karp_reader *reader, karp_status status, const tree *root, const io_place *place);
/* Leaves out all deferred objects that cannot be decoded. */
karp_status io_leave_out_wrong(karp_reader *reader);
