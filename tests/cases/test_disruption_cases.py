# SPDX-License-Identifier: Apache-2.0
"""Cases of disruption as text: documents in, the expected decision in the comments at their head. See disruption/README.md.

    test_disruption_cases.py [GLOB]    the files below tests/cases/disruption whose path matches; all without GLOB
"""
import sys

from text_case import Wrong, compare_launches, long_names, main, split_facets


def same_number(text, got):
    return abs(float(text) - float(got)) < 1e-12


class Command:
    """A delete or replace: nodes in order; launches; 'savings' and 'score' when they are named."""

    def __init__(self, kind, text):
        self.kind = kind
        head, arrow, launches = text.partition('->')
        nodes, *numbers = [part.split() for part in head.split(';')]
        self.nodes, self.numbers = nodes, dict(numbers)
        self.launches = []
        for launch in launches.split(' + ') if arrow else []:
            pool, colon, rest = launch.strip().partition(':')
            if not colon:
                raise Wrong(f'a launch without ":" in {text}')
            self.launches.append((pool, *split_facets(rest)))
        if bool(self.launches) != (kind == 'replace'):
            raise Wrong(f'{kind} {text}')

    def compare(self, got):
        if got['decision'] != self.kind or got['nodes'] != self.nodes:
            yield f'a command is {got["decision"]} {" ".join(got["nodes"])}, not {self.kind} {" ".join(self.nodes)}'
            return
        yield from compare_launches(self.launches, got['replacements'])
        for name, wanted in self.numbers.items():
            if not same_number(wanted, got[name]):
                yield f'{name} is {got[name]}'


class Run:
    """One command line of a case and what has to come out."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.commands, self.placements, self.kept, self.rest, self.notes = [], {}, {}, [], []

    def expect(self, line):
        verb, _, text = line.partition(' ')
        if verb in ('delete', 'replace', 'reboot', 'terminate-first'):
            self.commands.append(Command(verb, text))
            return
        name, _, rest = (part.strip() for part in text.partition(':'))
        if verb == 'place':
            self.placements[name] = long_names(rest.split())
        elif verb == 'keep':
            self.kept.update({node: rest.split(None, 1) for node in name.split()})
        elif verb == 'note':
            self.notes.append(text)
        elif verb in ('budget', 'candidate', 'method', 'error'):
            self.rest.append((verb, name, rest))
        else:
            raise Wrong(f'not understood: {line}')

    def compare(self, plan):
        if len(plan['commands']) != len(self.commands):
            yield f'the commands are {[(c["decision"], c["nodes"]) for c in plan["commands"]]}'
        for wanted, got in zip(self.commands, plan['commands']):
            yield from wanted.compare(got)
        placed = {p['node']: p['pods'] for c in plan['commands'] for p in c['placements']}
        if placed != self.placements:
            yield f'placements are {placed}'
        kept = {row['node']: [row['code'], row['detail']] for row in plan['kept'] if row['code'] != 'NOT_MANAGED' or row['node'] in self.kept}
        if set(kept) != set(self.kept) or any(kept[n][:len(w)] != w for n, w in self.kept.items()):
            yield f'kept are {kept}'
        if any(note not in plan['warnings'] for note in self.notes):
            yield f'the notes are {plan["warnings"]}'
        yield from self.compare_rest(plan)

    def compare_rest(self, plan):
        candidates = {c['node']: c for c in plan['candidates']}
        for verb, name, rest in self.rest:
            if verb == 'method' and plan['method'] != name:
                yield f'the method is {plan["method"]}'
            elif verb == 'error' and plan.get('error', {}).get('code') != name:
                yield f'the error is {plan.get("error")}'
            elif verb == 'error' and rest and plan['error']['message'] != rest:
                yield f'the error is {plan["error"]}'
            elif verb == 'budget' and plan['budgets'].get(name) != int(rest):
                yield f'the budgets are {plan["budgets"]}'
            elif verb == 'candidate' and name not in candidates:
                yield f'{name} is no candidate'
            elif verb == 'candidate':
                yield from compare_candidate(candidates[name], rest)


def compare_candidate(got, text):
    names = {'price': 'price', 'cost': 'rescheduleDisruptionCost', 'disruption-cost': 'disruptionCost'}
    for what, *words in (part.split() for part in text.split(';')):
        if what == 'pods':
            if got['pods'] != long_names(words):
                yield f'the pods of {got["node"]} are {got["pods"]}'
        elif not same_number(words[0], got[names[what]]):
            yield f'the {what} of {got["node"]} is {got[names[what]]}'


sys.exit(main('disruption', 'disrupt', Run))
