# SPDX-License-Identifier: Apache-2.0
"""README.md says what is: its commands, its C example, what the program prints; and links of all pages lead somewhere."""
import os
import re
import subprocess
import sys

import tree


def blocks(page, language):
    return re.findall(r'^```' + language + r'\n(.*?)^```$', page, flags=re.S | re.M)


def check_commands(page):
    commands = [line for line in (blocks(page, 'sh') or [''])[0].splitlines() if line]
    if len(commands) != 2 or not commands[0].endswith('karp plan -f examples/quickstart') or commands[1] != '.ci/test':
        yield 'README.md: the first sh block has two commands: set up and plan, test'


def check_example(page):
    example = tree.SOURCE / 'examples/c/plan.c'
    found = blocks(page, 'c')
    if len(found) != 1 or not example.is_file() or found[0] not in example.read_text():
        yield 'README.md: its C example is not a piece of examples/c/plan.c'


SHOWN = (['plan', '-f', 'examples/quickstart'], ['explain', 'pod', 'ml/train-0', '-f', 'examples/quickstart'])


def check_output(page):
    program = os.environ.get('KARP')
    found = blocks(page, 'text')
    if len(found) != len(SHOWN):
        yield f'README.md: {len(SHOWN)} text blocks show what the program prints'
    for words, block in zip(SHOWN, found if program else ()):
        printed = subprocess.run([program, *words], cwd=tree.SOURCE, capture_output=True, text=True)
        lines = [line.rstrip() for line in printed.stdout.strip('\n').split('\n')]
        if printed.returncode or lines != block.rstrip('\n').split('\n'):
            yield f'README.md: karp {" ".join(words)} prints something else:\n{printed.stdout}{printed.stderr}'


def check_links(path):
    for target in re.findall(r'\]\(([^)#\s]+)[^)]*\)', tree.text(path)):
        if not re.match(r'[a-z]+:', target) and not (tree.SOURCE / path.parent / target).exists():
            yield f'{path}: {target} does not exist'


def main():
    page = tree.text('README.md')
    problems = [*check_commands(page), *check_example(page), *check_output(page)]
    pages = tree.files('.md')
    for path in pages:
        problems += check_links(path)
    return tree.report(problems, len(pages))


if __name__ == '__main__':
    sys.exit(main())
