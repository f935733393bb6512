# SPDX-License-Identifier: Apache-2.0
"""Includes point one way: what a module may see is in the table of docs/architecture.md, beside the public headers, which all may see."""
import re
import sys

import tree

# What the modules above see of a scheduler: what it is asked, and what came of it. The parts of its state are lib/schedule's own.
QUESTIONS = {f'schedule/{name}.h' for name in ('fit', 'guide', 'menu', 'movable', 'policy', 'options', 'pricing', 'relaxed', 'relaxed_choice', 'report', 'result', 'solve', 'workloads')}
# The core computes: of the C library it takes types, strings and arithmetic (of stdio.h vsnprintf, see tests/abi/purity.py).
CORE_SYSTEM = {'float.h', 'inttypes.h', 'limits.h', 'math.h', 'stdalign.h', 'stdarg.h', 'stdatomic.h', 'stdbool.h',
               'stddef.h', 'stdint.h', 'stdio.h', 'string.h'}
# Instructions of one kind of processor, where the core has another way as well.
PROCESSOR = {'digest.c': {'cpuid.h', 'immintrin.h'}}
BASE_SYSTEM = CORE_SYSTEM | {'stdlib.h'}  # malloc, behind the allocator
PUBLIC_SYSTEM = {'stddef.h', 'stdint.h'}
OUTSIDE = {'karp/compare.h', 'karp/document.h', 'karp/io.h', 'karp/jansson.h', 'karp/provider.h', 'karp/recording.h', 'karp/replay.h', 'karp/requests.h', 'karp/tune.h'}  # headers of libkarp-io
READERS = {'jansson.h': ('jansson',), 'yaml.h': ('io',)}


def refusal(module, name, include, quoted):
    """Why a file of a module may not include this; None when it may."""
    if quoted:
        return None if '/' not in include and module in ('io', 'providers', 'cli') else 'use <module/file.h>'
    if '/' not in include:
        known = BASE_SYSTEM if module == 'base' else CORE_SYSTEM | PROCESSOR.get(name, set())
        if module in tree.CORE and include not in known:
            return 'the core does without it'
        if include in READERS and module not in READERS[include]:
            return f'only {" and ".join(READERS[include]) or "tests"} may'
        return None
    first = include.split('/')[0]
    if first == 'karp':
        outside_only = include in OUTSIDE
        return 'it belongs to libkarp-io' if outside_only and module in tree.CORE else None
    if first not in tree.BELOW:
        return None
    if include == 'base/context.h' and module not in tree.CORE:
        return 'what a context is made of is known to libkarp alone'
    if first == 'schedule' and module != first and include not in QUESTIONS:
        return 'the state of a scheduler is its own: schedule/result.h says what came of a round'
    if include == 'schedule/scheduler.h' and name.endswith('.h') and name != 'device_run.h':
        return 'a header declares its part in schedule/common.h\'s terms; scheduler.h puts the parts together'
    return None if first == module or first in tree.BELOW[module] else f'{module} does not see {first}'


def includes(path):
    for number, line in enumerate(tree.text(path).splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+([<"])([^>"]+)[>"]', line)
        if match:
            yield number, match.group(2), match.group(1) == '"'


def circle():
    """Modules that may use each other, one way or another."""
    left = {module: uses & set(tree.BELOW) for module, uses in tree.BELOW.items()}
    while free := {module for module, uses in left.items() if not uses & set(left)}:
        left = {module: uses for module, uses in left.items() if module not in free}
    return sorted(left)


def main():
    problems, counted = [], 0
    unknown = set().union(*tree.BELOW.values()) - set(tree.BELOW) - {'public headers'}
    if circle() or unknown or set(tree.BELOW) != {path.name for path in (tree.SOURCE / 'lib').iterdir() if [*path.glob('*.c')]}:
        problems.append(f'docs/architecture.md: the table of modules: a circle of {circle()}, unknown {unknown}, {sorted(tree.BELOW)}')
    for path in tree.files('.c', '.h', '.inc', under='lib'):
        counted += 1
        for number, include, quoted in includes(path):
            module = path.parts[1]
            why = refusal(module, path.name, include, quoted) if module in tree.BELOW else 'lib has no such module'
            if why:
                problems.append(f'{path}:{number}: {include}: {why}')
    for path in tree.files('.h', under='include'):
        counted += 1
        for number, include, quoted in includes(path):
            allowed = include.startswith('karp/') or include in PUBLIC_SYSTEM or include == path.name == 'jansson.h'
            if quoted or not allowed:
                problems.append(f'{path}:{number}: {include}: a public header does without it')
            elif include in OUTSIDE and path.name not in {name.split('/')[1] for name in OUTSIDE}:
                problems.append(f'{path}:{number}: {include}: it belongs to libkarp-io')
    for folder in ('examples', 'bindings'):
        for path in tree.files('.c', '.h', '.go', under=folder):
            for number, include, quoted in includes(path):
                if include.split('/')[0] in tree.BELOW:
                    problems.append(f'{path}:{number}: {include}: {folder} sees the public headers only')
    return tree.report(problems, counted)


if __name__ == '__main__':
    sys.exit(main())
