# SPDX-License-Identifier: Apache-2.0
"""Calls that the project does without, each with what is used instead."""
import re
import sys

import tree

EVERYWHERE = {
    'sprintf vsprintf': 'a string buffer, or vsnprintf with the size of the target',
    'strcpy strcat strncpy strncat stpcpy': 'memcpy with a known length',
    'strtok strtok_r': 'a loop over (pointer, length)',
    'atoi atol atoll atof strtol strtoul strtoll strtoull strtod strtof strtold': 'the readers of lib/base and karp/values.h',
    'gets scanf sscanf fscanf vsscanf': 'a reader that checks',
    'alloca setjmp longjmp': 'an arena, a status',
    'qsort qsort_r': 'the stable sort of lib/base',
    'rand srand random system popen tmpnam': 'nothing: results depend on the input alone',
}
NOT_IN_LIBRARIES = {
    'malloc calloc realloc free strdup strndup aligned_alloc posix_memalign reallocarray': 'the allocator of the context',
    'abort exit _exit assert': 'a status',
    'printf vprintf puts putchar perror': 'the log callback',
    'setlocale getenv signal fork': 'an argument',
}
NOT_IN_CORE = {
    'fprintf vfprintf snprintf fputs fwrite fread fopen fclose fflush': 'nothing: the core has no files',
    'time clock clock_gettime gettimeofday localtime gmtime mktime strftime': 'the instant in the options',
    'localeconv newlocale uselocale': 'nothing: text is the same everywhere',
    'pthread_create pthread_mutex_lock pthread_once thrd_create mtx_lock call_once': 'nothing: the core has no threads',
}
# The one file that talks to malloc.
ALLOCATOR = 'lib/base/context.c'


def table(*groups):
    return {name: instead for group in groups for names, instead in group.items() for name in names.split()}


def calls(path, banned):
    # Members of structs may have any name: options->log(), allocator.free().
    pattern = re.compile(r'(?<![\w.>])(' + '|'.join(map(re.escape, banned)) + r')\s*\(')
    for number, line in enumerate(tree.code(tree.text(path)).splitlines(), 1):
        for match in pattern.finditer(line):
            yield f'{path}:{number}: {match.group(1)}: use {banned[match.group(1)]}'


def main():
    problems, counted = [], 0
    for path in tree.files('.c', '.h', '.inc', under='lib'):
        counted += 1
        groups = [EVERYWHERE]
        if path.parts[1] != 'cli' and str(path) != ALLOCATOR:
            groups.append(NOT_IN_LIBRARIES)
        if path.parts[1] in tree.CORE:
            groups.append(NOT_IN_CORE)
        problems += calls(path, table(*groups))
    for folder in ('examples', 'fuzz'):
        for path in tree.files('.c', '.h', under=folder):
            counted += 1
            problems += calls(path, table(EVERYWHERE))
    return tree.report(problems, counted)


if __name__ == '__main__':
    sys.exit(main())
