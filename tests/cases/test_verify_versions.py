# SPDX-License-Identifier: Apache-2.0
"""karp verify judges a plan by the version of Karpenter that it states: what one version decides the other's rules refuse."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from stories import check, equal, finish

CASES = pathlib.Path(__file__).resolve().parent / 'scheduling'
VOLUMES = ['--catalogue', 'volume-limits-types.yaml']
# (case, arguments, the version that decides, what the other one finds)
ROWS = [
    ('launch-volumes', VOLUMES, '1.14', 'VOLUME_LIMIT'),
    ('too-many-volumes', VOLUMES, '1.14', 'VOLUME_LIMIT'),
    ('node-without-csinode', VOLUMES, '1.14', 'VOLUME_LIMIT'),
    ('node-with-csinode', VOLUMES, '1.14', 'VOLUME_LIMIT'),
    ('csinode-without-count', VOLUMES, '1.15', 'VOLUME_LIMIT'),
    ('allowed-min-values', ['two-zones.yaml'], '1.14', 'MIN_VALUES'),
    ('only-a-full-reservation', ['falling-back.yaml', '--catalogue', 'full-reservation-types.yaml'], '1.14', 'TYPE_OFFERING'),
]


def karp(*arguments):
    return subprocess.run([os.environ['KARP'], *arguments], capture_output=True, text=True, check=False)


def inputs(case, arguments):
    files = ['-f', str(CASES / 'versions' / f'{case}.yaml')]
    if 'two-zones.yaml' not in arguments:
        files += ['-f', str(CASES / 'world.yaml')]
    named = [str(CASES / a) if a.endswith('.yaml') else a for a in arguments]
    return files + named + ([] if '--catalogue' in arguments else ['--catalogue', str(CASES / 'types.yaml')])


def findings(given, plan, folder):
    path = pathlib.Path(folder, 'plan.json')
    path.write_text(json.dumps(plan))
    done = karp('verify', str(path), *given, '-o', 'json')
    return sorted({f['code'] for f in json.loads(done.stdout)['errors']}) if done.stdout else done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        for case, arguments, version, wanted in ROWS:
            given = inputs(case, arguments)
            plan = json.loads(karp('plan', *given, '--profile', f'karpenter-{version}', '-o', 'json').stdout)
            equal(plan['peerVersion'], version, f'{case}: version')
            equal(findings(given, plan, folder), [], f'{case} as {version}')
            plan['peerVersion'] = {'1.14': '1.15', '1.15': '1.14'}[version]
            equal(findings(given, plan, folder), [wanted], f'{case} as {plan["peerVersion"]}')
        given = ['-f', str(CASES / 'volumes' / 'attach-limits-pools.yaml'), '-f', str(CASES / 'world.yaml'), '--catalogue', str(CASES / VOLUMES[1])]
        fixed = json.loads(karp('plan', *given, '-o', 'json').stdout)
        equal(findings(given, fixed, folder), [], 'volume limits of a static pool that Karpenter does not know')
        fixed['profile'] = 'karp'
        equal(findings(given, fixed, folder), ['VOLUME_LIMIT'], 'volume limits of a static pool')
        given = ['-f', str(CASES / 'min-values' / 'all-reservations.yaml'), '-f', str(CASES / 'reserving.yaml'), '--catalogue', str(CASES / 'two-reservations-types.yaml')]
        pinned = json.loads(karp('plan', *given, '-o', 'json').stdout)
        equal(findings(given, pinned, folder), [], 'as many reservations as minValues')
        for row in pinned['launches'][0]['requirements']:
            if row['key'].endswith('reservation-id'):
                row['values'] = ['r1']
        equal(findings(given, pinned, folder), ['MIN_VALUES'], 'fewer reservations than minValues')
        plan['peerVersion'] = '1.13'
        check('peerVersion' in findings(given, plan, folder), 'an unknown version is refused')


if 'KARP' not in os.environ:
    print('KARP does not name the program')
    sys.exit(77)
main()
sys.exit(finish())
