# SPDX-License-Identifier: Apache-2.0
"""The fields of documents, and the columns of tables, are described: the rows of the records are the list of both."""
import re
import sys

import tree

# { KIND("field", struct, member, …), ADDED … }
ROW = re.compile(r'\{\s*(?:FIELD_ROW|[A-Z]\w*)\("(\w+)"((?:[^{}]|\{[^{}]*\})*)\}', re.S)
# The state of a replay, and nodes: no document shows these.
HIDDEN = re.compile(r'\bIN\(IN_STATE\)|\bkarp_node_use\b')
TABLE_ONLY = re.compile(r'\bIN\(IN_TABLE\)|\bCOLUMN_ALONE\b')
COLUMN = re.compile(r'\b(?:WORDS_)?COLUMN\b')


def rows():
    for path in tree.files('.c', under='lib'):
        if path.parts[1] in ('records', 'compare') or path.parts[1] == 'io' and path.name.startswith('write_'):
            for field, more in ROW.findall(re.sub(r'/\*.*?\*/', ' ', tree.text(path), flags=re.S)):
                yield path, field, more


def main():
    documents = ' '.join(tree.text(path) for path in tree.files('.md', under='docs'))
    columns, problems, counted = tree.text('docs/columns.md'), [], 0
    for path, field, more in rows():
        counted += 1
        if not HIDDEN.search(more) and not TABLE_ONLY.search(more) and not re.search(rf'\b{field}\b', documents):
            problems.append(f'{path}: no page of docs says what the field {field} is')
        snake = re.sub('[A-Z]', lambda found: '_' + found.group().lower(), field)
        if COLUMN.search(more) and 'STRUCT(' not in more and not re.search(rf'\b{snake}\b', columns):
            problems.append(f'{path}: docs/columns.md does not name the column {snake}')
    if counted < 200:
        problems.append(f'only {counted} rows were found')
    return tree.report(problems, counted)


if __name__ == '__main__':
    sys.exit(main())
