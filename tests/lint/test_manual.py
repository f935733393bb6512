# SPDX-License-Identifier: Apache-2.0
"""karp(1) and the scripts of shells know every command and every option that `--help` lists."""
import os
import re
import subprocess
import sys

import tree


def said(*words):
    return subprocess.run([os.environ['KARP'], *words], capture_output=True, text=True, check=True).stdout


def main():
    if not os.environ.get('KARP'):
        return 77
    page = tree.text('docs/man/karp.1').replace('\\-', '-')
    verbs = re.findall(r'^  ([a-z]+)  ', said('--help'), flags=re.M)
    scripts = {shell: said('completion', shell) for shell in ('bash', 'zsh', 'fish')}
    options = {verb: re.findall(r'^  (--[a-z-]+)', said(verb, '--help'), flags=re.M) for verb in verbs}
    problems = [f'docs/man/karp.1: karp {verb} is missing' for verb in verbs if not re.search(rf'^\.B (karp )?{verb}\b', page, flags=re.M)]
    for option in sorted({option for list_ in options.values() for option in list_}):
        if option not in page:
            problems.append(f'docs/man/karp.1: {option} is missing')
        for shell, script in scripts.items():
            if not re.search(rf'(--|-l ){option[2:]}\b', script):
                problems.append(f'completion {shell}: {option} is missing')
    problems += [f'completion {shell}: {verb} is missing' for shell, script in scripts.items() for verb in verbs if not re.search(rf'\b{verb}\b', script)]
    if len(verbs) < 16 or sum(map(len, options.values())) < 200:
        problems.append(f'--help lists {len(verbs)} commands')
    return tree.report(problems, len(verbs))


if __name__ == '__main__':
    sys.exit(main())
