# SPDX-License-Identifier: Apache-2.0
"""explain of pods that are placed: why this NodePool, why not that one; Deployments by name."""
import pathlib

from stories import check, document, equal, finish, run

ASKS = pathlib.Path(__file__).parent / 'asks'
TIERS = ASKS / 'three-tier'


def explained(*words):
    return document('explain', *words, TIERS)


plan = document('plan', TIERS)
api = explained('deployment', 'shop/api')
equal(api['outcome'], 'launch', 'a node is launched')
equal(api['pod'].rsplit('-', 1)[0], 'shop/api', 'a pod of the Deployment')
others = {a['nodePool']: a for a in api['alternatives']}
equal(set(others), {p['nodePool'] for p in plan['launches']} - {api['launch']['nodePool']} | {'spot', 'gpu', 'on-demand'} - {api['launch']['nodePool']}, 'all other pools')
equal([a['weight'] for a in api['alternatives']], sorted((a['weight'] for a in api['alternatives']), reverse=True), 'heaviest first')
spot = others['spot']
equal(spot.get('code'), 'LIMITS', 'why not spot')
check(float(spot['costChange']) < -1, spot)
check(spot['detail'].startswith('limit cpu '), spot)
check(others['gpu'].get('code'), 'why not gpu')
text, note = run('explain', 'deployment', 'shop/api', TIERS)
check('Other NodePools' in text and 'spot (weight 50)' in text and 'reached in this round by' in text and '\n      without the limit: m7i-flex.large, -$' in text, text)
stays, _ = run('explain', 'pod', 'shop/api-3', TIERS)
check('/month (730 h), for other pods: this one stays\n' in stays, stays)
check('shown is' in note, note)
equal(explained('pod', api['pod'])['alternatives'], api['alternatives'], 'the pod itself')
_, error = run('explain', 'deployment', 'shop/nobody', TIERS, status=1)
check('no pending pod of a workload of that name is in the input\n' in error, error)
equal(run('explain', 'deployment', 'api', TIERS)[0], run('explain', 'deployment', 'shop/api', TIERS)[0], 'the only namespace that has it')
_, error = run('explain', 'cronjob', 'shop/api', TIERS, status=1)
check('can be explained' in error, error)
raise SystemExit(finish())
