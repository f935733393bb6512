/* SPDX-License-Identifier: Apache-2.0 */
/* The main() of karp under another name, for counted.c. */
int karp_main(int argc, char **argv);

#define main karp_main
#include <cli/main.c>
