# SPDX-License-Identifier: Apache-2.0
"""What decisions show, in the words of each language: go/results.go, python/karp/_results.py and rust/karp/src/results.rs of the rows of lib/records.

A row says which member a result has, of which kind, and by which name documents show it; what a member means is said in the header.
"""
import dataclasses
import pathlib
import re
import textwrap

import go_structs
import headers
import python_structs

HERE = pathlib.Path(__file__).resolve().parent
LIB = HERE.parent / 'lib/records'
RUST = HERE / 'rust/karp/src/results.rs'
RECORD = re.compile(r'const record (\w+) =\s*\{(.*?)\n?\};\n', re.S)
NAMES = re.compile(r'const record_names (\w+) =\s*\{\s*(\w+)')
WORD_LIST = re.compile(r'const record_word (\w+)_list\[\] = \{(.*?)\};', re.S)
WORDS = re.compile(r'const record_words (\w+) = \{ WORDS\((\w+)\)')
# The results, those that others are made of first, with what they are.
RESULTS = {
    'record_choice': 'The offering a launch is priced at.',
    'record_node_class_ref': 'The node class of a launch.',
    'record_launch': 'A node to start: one NodeClaim.',
    'record_placement': 'Pods that go to a node that exists.',
    'record_pool_refusal': 'Why a NodePool does not take a pod, with the number of instance types left after each step.',
    'target_refusal': 'What a node, or a launch, said to a pod (explain level full).',
    'topology_domain': 'A value of a topology key, with the number of pods that the constraint counts there.',
    'record_topology': 'A spread constraint, affinity or anti-affinity that keeps a pod from domains.',
    'record_unschedulable': 'A pod that fits nowhere.',
    'record_ignored': 'A pod that was not considered.',
    'record_node_use': 'A node that was there before: amounts in cores and bytes, the pods placed now included.',
    'repair': 'What repair would do with a node, and why.',
    'record_candidate': 'A node that was looked at; its pods are those that would have to move.',
    'record_command': 'Nodes that go together, and what comes in their place.',
    'record_kept': 'A node that stays, and why.',
}
# Where a list of documents has the name of one of its elements, or not of what it is.
RENAMED = {('karp_topology', 'domains_in_all'): 'domain_total', ('karp_unschedulable', 'topology'): 'topologies'}


@dataclasses.dataclass
class Field:
    name: str  # in documents, in snake case
    kind: str  # the row's
    member: str
    count: str  # the member that counts, '' = none
    by: str  # the record, the function that names a number, or the words {number: word}
    given: str  # GIVEN, POSITIVE, NOT_NEGATIVE, or ''
    comment: str
    within: str = ''  # the object of documents that it is part of, and its record: 'types funnel'


def snake(name):
    return re.sub('[A-Z]', lambda found: '_' + found.group().lower(), name)


def parts(text, opening='({', closing=')}'):
    """What stands between the commas at the outermost level."""
    found, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in opening) - (c in closing)
        if c == ',' and depth == 0:
            found.append(text[start:i].strip())
            start = i + 1
    return [*found, text[start:].strip()]


def comment_of(kind, text):
    """The header's, where it is not about C."""
    said = {'PODS': '"namespace/name", by name', 'POD': '"namespace/name"', 'FIELD_LAUNCHES': '', 'FIELD_PLACEMENTS': ''}
    return said[kind] if kind in said else go_structs.comment_of(text.lstrip('* ')).replace('`', '')


class Records:
    def __init__(self, structs):
        self.structs, self.tables, self.names, lists, words = structs, {}, {}, {}, {}
        numbers = {name: int(value) for path in headers.INCLUDE.glob('*.h') for name, value in re.findall(r'\b(KARP_\w+)\s*=\s*(\d+)', path.read_text(encoding='utf-8'))}
        for path in sorted(LIB.glob('*.c')):
            text = re.sub(r'/\*.*?\*/', ' ', path.read_text(encoding='utf-8'), flags=re.S)
            self.tables |= dict(RECORD.findall(text))
            self.names |= dict(NAMES.findall(text))
            lists |= {name: {numbers[number]: word for word, number in re.findall(r'"([\w-]+)",\s*(KARP_\w+)', rows)} for name, rows in WORD_LIST.findall(text)}
            words |= dict(WORDS.findall(text))
        self.words = {name: lists[of] for name, of in words.items()}

    def struct(self, record):
        return re.search(r'\bkarp_\w+', re.sub(r'LIKE\((\w+)\)', '', self.tables[record]))[0]

    def rows(self, record):
        """(kind, arguments, rest) of each row."""
        body = re.search(r'(?:OPEN|CLOSED)\(\s*(\{.*\})\s*\)', self.tables[record], re.S)[1]
        for row in parts(body):
            head, *rest = parts(row[1:-1].strip())
            macro, given = re.match(r'(\w+)\((.*)\)$', head, re.S).groups()
            yield macro, [argument.strip('"') for argument in parts(given)], rest

    def fields(self, record):
        """One for each member: by its name in documents, or by its own where two have one name, or it has two."""
        said, found, rows = {member.name: member.comment for member in self.structs[self.struct(record)]}, {}, []
        for macro, arguments, rest in self.rows(record):
            if macro == 'FIELD_ROW':
                macro, arguments = arguments[1], [arguments[0], *arguments[2:4]]
            if macro == 'OBJECT':
                if not any(row[0] == 'STRUCT' and row[1][0] == arguments[0] for row in rows):
                    rows += [(kind, [f'{arguments[0]}_{inner[0]}', *inner[1:]], [*more, f'within {arguments[0]} {arguments[1]}']) for kind, inner, more in self.rows(arguments[1])]
            elif macro == 'RANGE':
                rows.append((arguments[1], [arguments[0], *arguments[2:]], rest))
            else:
                rows.append((macro, arguments, rest))
        shown = {arguments[2] for _, arguments, rest in rows if 'COLUMN_ALONE' not in rest}
        rows = [row for row in rows if 'COLUMN_ALONE' not in row[2] or row[1][2] not in shown and not row[1][2].endswith(('_first', '_count'))]
        for macro, arguments, rest in rows:
            name, member = snake(arguments[0]), arguments[2]
            others = [(one[0], snake(one[1][0]), one[1][2]) for one in rows]
            if any(n == name and m != member for _, n, m in others) or any(k == macro and m == member and n != name and k != 'NAMED' for k, n, m in others):
                name = member
            given = next((word for word in ('GIVEN', 'POSITIVE', 'NOT_NEGATIVE') if word in rest), '')
            by = arguments[-1] if macro in ('LIST', 'STRUCT', 'POINTER') else self.names.get(arguments[3], '') if macro == 'NAMED' else self.words[arguments[3]] if macro == 'WORD' else ''
            count = arguments[3] if len(arguments) > 3 and macro not in ('NAMED', 'WORD', 'STRUCT', 'POINTER') else ''
            name = RENAMED.get((self.struct(record), name), name)
            within = next((word[7:] for word in rest if word.startswith('within ')), '')
            found.setdefault(name, Field(name, macro, member, count, by, given, comment_of(macro, said[member]), within))
            when = next((re.match(r'WHEN\(\w+, (\w+)\)', word) for word in rest if word.startswith('WHEN(')), None)
            if when:
                found.setdefault(when[1], Field(when[1], 'FLAG', when[1], '', '', '', ''))
        return list(found.values())


REALS, WHOLE = ('PRICE', 'REAL', 'SUM', 'MONEY'), ('UINT32', 'INT32', 'INT64', 'SIZE', 'UINT64')
NUMBERS = {'UINT32': 'uint32', 'INT32': 'int32', 'INT64': 'int64', 'SIZE': 'int', 'UINT64': 'uint64'}


def is_flag(field):
    return field.kind == 'FLAG' or field.kind == 'UINT32' and field.name == field.member == 'replaces'


def class_of(records, record):
    return python_structs.class_name(records.struct(record))


# ---- Go --------------------------------------------------------------------------------------------------------------

GO_LISTS = {'PODS': ('[]string', 'podsOf(c, {})'), 'AMOUNTS': ('[]Resource', 'resourcesOf({})'), 'LABELS': ('map[string]string', 'labelsOf({})'),
            'NODE_LABELS': ('map[string]string', 'labelsOf({})'), 'TEXTS': ('[]string', 'textsOf({})')}
GO_RECORDS = {'record_requirement': ('[]Requirement', 'requirementsOf({})'), 'record_taint': ('[]Taint', 'taintsOf({})')}
GO_NAMES = {'PoolRefusal.TypesRequirements': 'TypesRequirement', 'Unschedulable.Relax': 'Relaxed'}  # as they were first


def go_value(records, field):
    """(type, expression)"""
    at, both = f'r.{field.member}', f'r.{field.member}, r.{field.count}'
    if field.kind in ('TEXT', 'NEEDED'):
        return 'string', f'textOf({at})'
    if field.kind in GO_LISTS:
        kind, call = GO_LISTS[field.kind]
        return kind, call.format(both)
    if field.kind == 'LIST':
        if field.by in GO_RECORDS:
            return GO_RECORDS[field.by][0], GO_RECORDS[field.by][1].format(both)
        name = class_of(records, field.by)
        return f'[]{name}', f'listOf(c, {both}, {go_structs.function_of(name)}Of)'
    if field.kind in ('STRUCT', 'POINTER'):
        name = class_of(records, field.by)
        call = f'{go_structs.function_of(name)}Of(c, '
        return (f'*{name}', f'pointerOf(c, {at}, {go_structs.function_of(name)}Of)') if field.kind == 'POINTER' else (name, f'{call}&{at})')
    if field.kind in ('FIELD_LAUNCHES', 'FIELD_PLACEMENTS'):
        name = 'Launch' if field.kind == 'FIELD_LAUNCHES' else 'Placement'
        return f'[]{name}', f'rowsOf(c, {both}, read{name})'
    if field.kind == 'NAMED':
        return ('Reason', f'Reason({at})') if field.by == 'karp_reason_name' else ('string', f'C.GoString(C.{field.by}({at}))')
    if field.kind == 'WORD':
        words = ', '.join(f'{number}: "{word}"' for number, word in field.by.items())
        return 'string', f'map[C.uint32_t]string{{{words}}}[{at}]'
    if is_flag(field):
        return 'bool', f'{at} != 0'
    if field.kind == 'POD':
        return 'string', f'textOf(C.karp_decision_pod_name(c, {at}))'
    if field.kind == 'TIME':
        return 'time.Time', f'timeOf({at})'
    if field.kind.startswith('DURATION'):
        return ('time.Duration', f'time.Duration({at})') if field.given == 'POSITIVE' else ('*time.Duration', f'durationOf({at})')
    return ('float64', f'float64({at})') if field.kind in REALS else (NUMBERS[field.kind], f'{NUMBERS[field.kind]}({at})')


def go(records):
    out = [go_structs.HEAD.replace(' and structs.txt', ' and the records'), '// #include "c.h"\nimport "C"\n\nimport "time"\n']
    for record, what in RESULTS.items():
        name, struct, lines, values = class_of(records, record), records.struct(record), [], []
        for field in records.fields(record):
            own = go_structs.camel(field.name).replace('Cpu', 'CPU')
            own = GO_NAMES.get(f'{name}.{own}', own)
            kind, value = go_value(records, field)
            lines.append(f'\t{own} {kind}' + (f' // {field.comment}' if field.comment else ''))
            values.append(f'\t\t{own}: {value},')
        article = 'An' if name[0] in 'AEIOU' else 'A'
        if struct not in go_structs.table():
            out.append(f'\n// {article} {name} is {what[0].lower()}{what[1:]}\ntype {name} struct {{\n' + '\n'.join(lines) + '\n}\n')
        out.append(f'\nfunc {go_structs.function_of(name)}Of(c *C.karp_decision, r *C.{struct}) {name} {{\n\treturn {name}{{\n' + '\n'.join(values) + '\n\t}\n}\n')
        if any(member.name == 'size' for member in records.structs[struct]):
            out.append(f'\nfunc read{name}(c *C.karp_decision, index C.size_t) ({name}, C.karp_status) {{\n\tr := C.{struct}{{size: C.sizeof_{struct}}}\n'
                       f'\tstatus := C.karp_decision_{"node" if name == "NodeUse" else snake(name)[1:]}(c, index, &r)\n'
                       f'\tif status != C.KARP_OK {{\n\t\treturn {name}{{}}, status\n\t}}\n\treturn {go_structs.function_of(name)}Of(c, &r), status\n}}\n')
    return ''.join(out)


# ---- Python ----------------------------------------------------------------------------------------------------------

PYTHON_HEAD = '''# SPDX-License-Identifier: Apache-2.0
# Made by bindings/generate.py from the headers and the records; not edited by hand.
"""What a decision shows, row by row. Members have the names of docs/formats.md in snake case."""
from __future__ import annotations

from functools import cached_property
from typing import Any, Dict, NamedTuple, Optional, Tuple

from . import _native as native
from . import _read as read
from . import _structs as S
from ._plain import Plain, Row, fields
from ._read import Requirement, Taint
'''
PYTHON_LISTS = {'AMOUNTS': ('Dict[str, str]', 'read.resources({})'), 'LABELS': ('Dict[str, str]', 'read.labels({})'), 'NODE_LABELS': ('Dict[str, str]', 'read.labels({})'),
                'TEXTS': ('Tuple[str, ...]', 'read.strings({})'), 'PODS': ('Tuple[str, ...]', 'read.pod_names(handle, read.numbers({}))')}
PYTHON_RECORDS = {'record_requirement': ('Tuple[Requirement, ...]', 'read.requirements({})'), 'record_taint': ('Tuple[Taint, ...]', 'read.taints({})')}
PYTHON_ROWS = ('record_launch', 'record_placement', 'record_unschedulable', 'record_node_use', 'record_candidate', 'record_command')  # classes; the others are tuples
PYTHON_BY_HAND = {('record_launch', 'choice'), ('record_launch', 'runner_up'), ('record_launch', 'requirements'), ('record_launch', 'choice_labels')}
LATER = ('PODS', 'FIELD_LAUNCHES', 'FIELD_PLACEMENTS')  # read when asked for; of a launch everything


def python_value(records, field):
    at, both = f'raw.{field.member}', f'raw.{field.member}, raw.{field.count}'
    if field.kind in ('TEXT', 'NEEDED'):
        return 'str', f'native.text({at})'
    if field.kind in PYTHON_LISTS:
        kind, call = PYTHON_LISTS[field.kind]
        return kind, call.format(both)
    if field.kind == 'LIST':
        if field.by in PYTHON_RECORDS:
            return PYTHON_RECORDS[field.by][0], PYTHON_RECORDS[field.by][1].format(both)
        name = class_of(records, field.by)
        return f'Tuple[{name}, ...]', f'tuple({name}.of(each) for each in read.array(S.{python_structs.class_name(records.struct(field.by))}, {both}))'
    if field.kind in ('STRUCT', 'POINTER'):
        name, struct = class_of(records, field.by), python_structs.class_name(records.struct(field.by))
        if field.kind == 'POINTER':
            return f'Optional[{name}]', f'{name}.of(S.{struct}.from_address({at})) if {at} else None'
        first = next(iter(records.fields(field.by))).member
        return (f'Optional[{name}]', f'{name}.of({at}) if {at}.{first}.len else None') if field.given else (name, f'{name}.of({at})')
    if field.kind == 'NAMED':
        return 'str', f"read.name('{field.by}', {at})"
    if field.kind == 'WORD':
        words = ', '.join(f"{number}: '{word}'" for number, word in field.by.items())
        return ('Optional[str]', f'{{{words}}}.get({at})') if field.given else ('str', f"{{{words}}}.get({at}, '')")
    if is_flag(field):
        return 'bool', f'bool({at})'
    if field.kind == 'POD':
        return 'str', f'read.pod_names(handle, ({at},))[0]'
    if field.kind == 'TIME':
        return 'Optional[str]', f'native.time_text({at}) if {at} != native.NO_TIME else None'
    if field.kind.startswith('DURATION'):
        return 'Optional[str]', f'read.duration({at}) if {at} > 0 else None' if field.given == 'POSITIVE' else f'read.duration({at})'
    if field.kind in REALS:
        return ('Optional[float]', f'float({at}) if {at} >= 0 else None') if field.given == 'NOT_NEGATIVE' else ('float', f'float({at})')
    return ('Optional[int]', f'int({at}) or None') if field.given == 'GIVEN' else ('int', f'int({at})')


def python_members(records, record):
    """[(name, type, expression, comment, field)]: all but those that _decision.py makes more of."""
    return [(field.name, *python_value(records, field), field.comment, field) for field in records.fields(record)
            if field.kind not in ('FIELD_LAUNCHES', 'FIELD_PLACEMENTS') and (record, field.name) not in PYTHON_BY_HAND]


def python(records):
    out = [PYTHON_HEAD]
    for record, what in RESULTS.items():
        name, struct, lines = class_of(records, record), python_structs.class_name(records.struct(record)), []
        members = python_members(records, record)
        parts_of = {within: [one for one in members if one[4].within == within] for within in {one[4].within for one in members} - {''}}
        for within, inner in sorted(parts_of.items()):  # one member more, of a class of its own
            own, part = within.split(' ')[0], within.split(' ')[1].capitalize()
            out.append(f'\n\nclass {part}(NamedTuple):\n    """The {own} of a {name}."""\n' + ''.join(f'    {one[0].removeprefix(own + "_")}: {one[1]}\n' for one in inner) +
                       '\n    def to_dict(self) -> Dict[str, Any]:\n        return fields(self)\n')
            members = [one for one in members if one[4].within != within]
            members.append((own, part, f'{part}({", ".join(one[2] for one in inner)})', '', inner[0][4]))
        if record == 'record_choice':
            lines += [f'class {name}Row(Plain):', f'    """{what}"""', '', '    def __init__(self, raw: Any) -> None:', *(f'        self.{own}: {kind} = {value}' for own, kind, value, *_ in members)]
        elif record not in PYTHON_ROWS:
            needs = 'handle: native.Handle, ' if any('handle' in value for _, _, value, _, _ in members) else ''
            lines += [f'class {name}(NamedTuple):', f'    """{what}"""', *(f'    {own}: {kind}' for own, kind, *_ in members), '', '    @classmethod',
                      f"    def of(cls, {needs}raw: Any) -> '{name}':", *call_lines(members), '',
                      '    def to_dict(self) -> Dict[str, Any]:', '        return fields(self)']
        else:
            getter = 'node' if name == 'NodeUse' else snake(name)[1:]
            lines += [f'class {name}Row(Row):', f'    """{what}"""', '', '    def __init__(self, handle: native.Handle, index: int) -> None:',
                      f"        raw = read.decision_row(handle, S.{struct}, '{getter}', index)", '        super().__init__(handle, raw)']
            later = [member for member in members if record == 'record_launch' or member[4].kind in LATER]
            lines += [f'        self.{own}: {kind} = {value}' for own, kind, value, *_ in members if all(own != one[0] for one in later)]
            for own, kind, value, comment, _ in later:
                lines += ['', '    @cached_property', f'    def {own}(self) -> {kind}:']
                lines += ['        """' + '\n        '.join(textwrap.wrap(f'{comment[0].upper()}{comment[1:]}'.rstrip('.') + '.', 110)) + '"""'] if comment else []
                value = value.replace('(handle', '(self._handle')
                lines += ['        raw = self._live()', f'        return {value}']
        out.append('\n\n' + '\n'.join(lines) + '\n')
    return ''.join(out)


def call_lines(members):
    text = ', '.join(value for _, _, value, _, _ in members)
    lines = textwrap.wrap(text, 130, break_long_words=False, break_on_hyphens=False)
    return ['        return cls(' + lines[0] + ('' if len(lines) > 1 else ')'), *(f'                   {line}' for line in lines[1:-1]), *(f'                   {lines[-1]})' for _ in lines[1:2])]


# ---- Rust ------------------------------------------------------------------------------------------------------------

RUST_HEAD = '''// SPDX-License-Identifier: Apache-2.0

// Made by bindings/generate.py from the headers and the records; not edited by hand.

use crate::decision::Decision;
use crate::error::{reason, Error};
use crate::objects::{Pairs, Requirement, Taint};
use crate::text::{amounts, copy, duration, items, pairs, requirements, taints, text, texts, time};
use karp_sys as c;
use std::ffi::CStr;
use std::time::{Duration, SystemTime};
'''
RUST_LISTS = {'PODS': ('Vec<String>', 'd.pods({})'), 'AMOUNTS': ('Pairs', 'amounts({})'), 'LABELS': ('Pairs', 'pairs({})'), 'NODE_LABELS': ('Pairs', 'pairs({})'),
              'TEXTS': ('Vec<String>', 'texts({})')}
RUST_RECORDS = {'record_requirement': ('Vec<Requirement>', 'requirements({})'), 'record_taint': ('Vec<Taint>', 'taints({})')}
RUST_NUMBERS = {'UINT32': 'u32', 'INT32': 'i32', 'INT64': 'i64', 'SIZE': 'usize', 'UINT64': 'u64'}


def rust_value(records, field):
    at, both = f'r.{field.member}', f'r.{field.member}, r.{field.count}'
    if field.kind in ('TEXT', 'NEEDED'):
        return 'String', f'copy({at})'
    if field.kind in RUST_LISTS:
        kind, call = RUST_LISTS[field.kind]
        return kind, call.format(both)
    if field.kind == 'LIST':
        if field.by in RUST_RECORDS:
            return RUST_RECORDS[field.by][0], RUST_RECORDS[field.by][1].format(both)
        name = class_of(records, field.by)
        return f'Vec<{name}>', f'items({both}).iter().map(|each| {name}::of(d, each)).collect::<Result<_, _>>()?'
    if field.kind == 'POINTER':
        name = class_of(records, field.by)
        return f'Option<{name}>', f'{at}.as_ref().map(|each| {name}::of(d, each)).transpose()?'
    if field.kind == 'STRUCT':
        name, first = class_of(records, field.by), next(iter(records.fields(field.by))).member
        return (f'Option<{name}>', f'if {at}.{first}.len > 0 {{ Some({name}::of(d, &{at})?) }} else {{ None }}') if field.given else (name, f'{name}::of(d, &{at})?')
    if field.kind in ('FIELD_LAUNCHES', 'FIELD_PLACEMENTS'):
        name = 'Launch' if field.kind == 'FIELD_LAUNCHES' else 'Placement'
        return f'Vec<{name}>', f'(r.{field.member}..r.{field.member} + r.{field.count}).map(|i| d.{name.lower()}(i)).collect::<Result<_, _>>()?'
    if field.kind == 'NAMED':
        return 'String', f'reason({at})' if field.by == 'karp_reason_name' else f'text(CStr::from_ptr(c::{field.by}({at})))'
    if field.kind == 'WORD':
        arms = ', '.join(f'{number} => "{word}"' for number, word in field.by.items())
        return 'String', f'match {at} {{ {arms}, _ => "" }}.into()'
    if is_flag(field):
        return 'bool', f'{at} != 0'
    if field.kind == 'POD':
        return 'String', f'copy(c::karp_decision_pod_name(d.0, {at}))'
    if field.kind == 'TIME':
        return 'Option<SystemTime>', f'time({at})'
    if field.kind.startswith('DURATION'):
        return 'Option<Duration>', f'duration({at})'
    return ('f64', at) if field.kind in REALS else (RUST_NUMBERS[field.kind], at)


def rust(records):
    out = [RUST_HEAD]
    for record, what in RESULTS.items():
        name, struct, lines, values = class_of(records, record), records.struct(record), [], []
        listed = []
        for field in records.fields(record):
            # The offering that a launch is priced at is part of it.
            if record == 'record_launch' and field.name == 'choice':
                listed += [dataclasses.replace(inner, member=f'choice.{inner.member}') for inner in records.fields(field.by)]
            else:
                listed.append(field)
        for field in listed:
            kind, value = rust_value(records, field)
            lines += [*(f'    /// {line}' for line in textwrap.wrap(field.comment, 110)), f'    pub {field.name}: {kind},']
            values.append(f'{field.name}: {value}')
        exact = all(field.kind not in REALS for field in listed) and not {'Vec<Launch>'} & {rust_value(records, field)[0] for field in listed}
        out.append(f'\n/// {what}\n#[derive(Clone, Debug, PartialEq{", Eq" if exact else ""})]\npub struct {name} {{\n' + '\n'.join(lines) + '\n}\n')
        used = 'd' if any(re.search(r'\bd\b', value) for value in values) else '_d'
        out.append(f'\nimpl {name} {{\n    /// What the row shows is borrowed from the decision, and copied here.\n    pub(crate) unsafe fn of({used}: &Decision, r: &c::{struct}) -> Result<{name}, Error> {{\n'
                   f'        Ok({name} {{\n            ' + ',\n            '.join(values) + ',\n        })\n    }\n}\n')
    return ''.join(out)


def files(structs):
    """{path: text}, each before its formatter."""
    records = Records(structs)
    return {go_structs.GO / 'results.go': go(records), python_structs.PACKAGE / '_results.py': python(records), RUST: rust(records)}
