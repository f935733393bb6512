# SPDX-License-Identifier: Apache-2.0
"""The documentation is a book: docs/README.md links every page once, in its place. docs/findings.md has what the scripts in findings/ say at
their beginning (`test_book.py --write` writes it). NEWS.md begins with the newest release, and is short."""
import re
import sys

import tree

CONTENTS = 'docs/README.md'
FINDINGS = 'docs/findings.md'
NEWS_LINES = 150
INTRODUCTION = '''# Findings

Surprises of this field: what a good engineer would guess of a format, a program or a device, and what is. Each has a script that runs the
other software on valid input, without libkarp, and ends with an error when it no longer does what is said here.

```console
findings/computed_cpu_request.sh    # they fetch the packages that they name; Go, Python or what they run has to be there
```
'''


def links(page):
    """What a page links, as paths from the root."""
    folder = (tree.SOURCE / page).parent
    for target in re.findall(r'\]\(([^)#\s]+)[^)]*\)', tree.text(page)):
        if not re.match(r'[a-z]+:', target):
            yield (folder / target).resolve()


def contents():
    """Pages of docs/ that the contents do not link, or more than once."""
    linked = list(links(CONTENTS))
    for page in tree.files('.md', under='docs'):
        times = linked.count(tree.SOURCE / page)
        if str(page) != CONTENTS and times != 1:
            yield f'{CONTENTS}: {page} is linked {times} times'
    if tree.SOURCE / CONTENTS not in links('README.md'):
        yield f'README.md does not link {CONTENTS}'


def findings():
    """The page of findings, from the comments of the scripts: a title, "Guess: …", "Seen with …: …"."""
    page = INTRODUCTION
    for script in tree.files('.sh', under='findings'):
        said = re.search(r'^#\n((?:#.*\n)+)', tree.text(script), flags=re.M).group(1)
        title, _, rest = re.sub(r'^# ?', '', said, flags=re.M).partition('\n\n')
        rest = re.sub(r'^(Guess|Seen)\b', r'\n**\1**', rest.strip(), flags=re.M).strip()
        page += f'\n## {" ".join(title.split()).rstrip(".")}\n\n{rest}\n\nShown by [{script.name}](../{script}).\n'
    return page


def main():
    if sys.argv[1:] == ['--write']:
        (tree.SOURCE / FINDINGS).write_text(findings(), encoding='utf-8')
        return 0
    problems = list(contents())
    if tree.text(FINDINGS) != findings():
        problems.append(f'{FINDINGS} is not what the scripts say: tests/lint/test_book.py --write')
    news = tree.text('NEWS.md').splitlines()
    if len(news) > NEWS_LINES or not re.match(r'## \d+\.\d+\.\d+', next((line for line in news if line.startswith('## ')), '')):
        problems.append(f'NEWS.md has {len(news)} lines, of at most {NEWS_LINES}, and begins with a release')
    return tree.report(problems, len(tree.files('.md', under='docs')))


if __name__ == '__main__':
    sys.exit(main())
