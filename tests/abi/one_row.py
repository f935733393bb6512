# SPDX-License-Identifier: Apache-2.0
"""A new version of Karpenter needs one row of lib/model/peer.c, a new disruption method its number, one row of lib/decision/methods.h
and its file, a new cloud its folder and one row of lib/providers/builtin.h.

Run by places.py. A copy of both libraries has a row more of each. The program must then take the profile, the method and the cloud, name them in help,
completion, messages and decisions, and read plans and snapshots of them; Python must list profile and method.
"""
import json
import os
import pathlib
import subprocess
import sys

import grown

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = grown.BUILD / 'tests' / 'places'
# What a row is found by, what it becomes, and in how many of the files it is.
PLACES = {
    'version': (r'\{ *KARP_PEER_1_15, *PEER *"1.15" *\},', r'\g<0> { 9099, PEER "9.99" },', 1),
    'number': (r'KARP_METHOD_EMPTINESS *= *1,', r'\g<0> KARP_METHOD_LAST_EMPTY = 10,', 1),
    # Its functions are those of emptiness, which would be in its file.
    'method': (r'ROW\(REPACK,', r'ROW(LAST_EMPTY, "LastEmpty", "Empty", KARP_BUDGET_EMPTY, CLAIM_ANY, KARP_METHOD_FLAG_PASS, eligible_empty, '
               r'method_emptiness, NULL) \g<0>', 1),
    'cloud': (r'(KARP_OBJECT\(file_builtin\));\n(#define BUILTIN_PLUGINS [^\n]*)', r'\1, dummy_builtin;\n\2, &dummy_builtin', 1),
    # Its functions are those of the provider that reads files; all else would be in its folder.
    'folder': (r'const builtin_plugin KARP_OBJECT\(file_builtin\)', r'static const karp_provider_plugin dummy_plugin = { .abi_version = KARP_PROVIDER_ABI, '
               r'.size = sizeof(karp_provider_plugin), .name = "dummy", .class_group = "karpenter.test", .class_kind = "TestNodeClass", '
               r'.open = file_open, .close = file_close, .load_facts = file_load_facts, .generation = plugin_generation, '
               r'.instance_types = file_types, .labels = file_labels }; const builtin_plugin dummy_builtin = { .plugin = &dummy_plugin }; \g<0>', 1),
}
INPUT = SOURCE / 'examples' / 'quickstart'
CASES = SOURCE / 'tests/cases/disruption'
EMPTY = [CASES / 'emptiness/who-goes.yaml', CASES / 'world.yaml', '--catalogue', CASES / 'types.yaml', '--now', '2026-01-05T12:00:00Z']
ENV = dict(os.environ, LD_LIBRARY_PATH=str(FOLDER), COLUMNS='1000')
NAMES = 'karpenter, karpenter-1.14, karpenter-1.15, karpenter-9.99'


def said(*words, wanted=0):
    done = subprocess.run([os.environ['KARP'], *map(str, words)], env=ENV, capture_output=True, text=True)
    assert done.returncode == wanted, (words, done.returncode, done.stderr)
    return ' '.join((done.stderr if wanted else done.stdout).split())


def problems_found():
    checks = {
        'Decides as Karpenter 9.99 does, or 1.14 (--profile karpenter-1.14), or 1.15 (--profile karpenter-1.15).': said('--version'),
        'karpenter-1.14, karpenter-1.15, karpenter-9.99, or karp': said('plan', '--help'),
        f'{NAMES}, karp, cost': said('replay', '--help'),
        'karpenter-1.15 karpenter-9.99 karp': said('completion', 'bash'),
        f'{NAMES} or karp': said('plan', '--profile', 'none', wanted=1),
        f'twice ({NAMES} or karp)': said('diff', INPUT, wanted=1),
        f'none ({NAMES}, karp, cost': said('replay', SOURCE / 'examples/replay/day.yaml', '--policy', 'none', wanted=1),
        'profile karpenter-9.99': said('plan', INPUT),
        'Repair, LastEmpty, or (profile karp) Repack': said('disrupt', '--help'),
        'Repair Repack LastEmpty': said('completion', 'bash'),
    }
    types = f"types={CASES / 'types.yaml'}"
    checks |= {
        'aws, azure, gcp, kwok, file, dummy, or of a plugin': said('plan', '--help'),
        'aws azure gcp kwok file dummy': said('completion', 'bash'),
        'built in are aws, azure, gcp, kwok, file, dummy': said('plan', INPUT, '--provider', 'none', wanted=1),
        'catalogue dummy': said('disrupt', *EMPTY[:2], '--provider', 'dummy', '--facts', types, *EMPTY[-2:]),
    }
    plan = FOLDER / 'plan.json'
    plan.write_text(said('plan', INPUT, '-o', 'json'))
    assert json.loads(plan.read_text())['peerVersion'] == '9.99'
    said('verify', plan, INPUT)
    dump = json.loads(said('dump', *EMPTY))
    dump['state']['method'] = 'LastEmpty'
    (FOLDER / 'dump.json').write_text(json.dumps(dump))
    for words in ([*EMPTY, '--method', 'LastEmpty'], [FOLDER / 'dump.json']):
        decided = json.loads(said('disrupt', *words, '-o', 'json'))
        assert [(command['method'], command['reason']) for command in decided['commands']] == [('LastEmpty', 'Empty')], decided
    (FOLDER / 'disruption.json').write_text(json.dumps(decided))
    said('verify', FOLDER / 'disruption.json', *EMPTY)
    package = subprocess.run([sys.executable, '-c', 'from karp import _options; print(", ".join((*_options.PROFILES, *_options.METHODS)))'], text=True, capture_output=True,
                             env=dict(ENV, PYTHONPATH=str(SOURCE / 'bindings/python'), KARP_LIBRARY=str(FOLDER)))
    checks[f'{NAMES}, karp, Emptiness, StaticDrift, Drift, MultiNodeConsolidation, SingleNodeConsolidation, Expiration, Repair, LastEmpty'] = package.stdout + package.stderr
    return [f'{wanted!r} is not in {got[-3000:]!r}' for wanted, got in checks.items() if wanted not in got]
