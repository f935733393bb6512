/* SPDX-License-Identifier: Apache-2.0 */
/* What a provider answers, as JSON lines on standard output, for the comparison with golden answers. */
#ifndef TESTS_CLOUD_DUMP_H
#define TESTS_CLOUD_DUMP_H

/* Arguments: PROVIDER REGION CLASS_JSON SETTINGS WHAT [KIND=FILE]; SETTINGS are name=value, with semicolons. WHAT is
 *   types     every type: requirements, amounts, offerings
 *   offers    every type: zones, prices and whether spot can be had
 *   hash      version and hash of the class
 *   launch    for each mix of standard input what would be launched. A mix is lines: "req KEY OPERATOR VALUE…",
 *             "request NAME QUANTITY", and at its end "launch NAME" */
int cloud_dump(int argc, char **argv);

#endif
