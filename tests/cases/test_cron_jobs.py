# SPDX-License-Identifier: Apache-2.0
"""CronJobs of a Load: as many Jobs as Kubernetes' controller creates (../shared/twin/controllers), also where a Job is in the way of the next."""
import datetime
import json
import os
import pathlib
import sys
import tempfile

from stories import check, equal, finish, run, types_of
from test_replay_scheduler import HEAD

PATHS = [os.path.join(os.environ['KARP_SOURCE'], 'tests/cases/kube-scheduler/controllers.jsonl'),
         os.path.join(os.environ.get('KARP_SHARED', ''), 'twin/controllers/cronjob.jsonl')]
# Why a Load has no such CronJob.
NOT_MODELLED = {'timeZone': 'a Load knows no zones of time', 'suspend': 'its CronJobs are not suspended'}


def load(case):
    begins, ends = (datetime.datetime.fromisoformat(case[key].replace('Z', '+00:00')) for key in ('createdAt', 'until'))
    pool = HEAD[HEAD.index('objects:'):]
    deadline = f', startingDeadline: {case["startingDeadlineSeconds"]}s' if 'startingDeadlineSeconds' in case else ''
    return (f'apiVersion: karp/v1\nkind: Load\nstart: "{case["createdAt"]}"\nlength: {int((ends - begins).total_seconds())}s\nnodeReadyAfter: 0s\n{pool}'
            f'cronJobs:\n- {{name: c, schedule: "{case["schedule"]}", concurrencyPolicy: {case["concurrencyPolicy"]}, duration: {case["jobSeconds"]}s, '
            f'cpu: 100m, memory: 64Mi{deadline}}}\n')


def figures(path, *words):
    one = json.loads(run('replay', path, '--boot-jitter', '0s', '-o', 'json', *words)[0])['policies'][0]
    return one['podStarts'] + one['podsPending'], one['podsRunning'] + one['podsPending']


def main():
    asked, left_out = 0, {}
    with tempfile.TemporaryDirectory() as folder:
        types = types_of(folder, 'us-west-2', 'm5.xlarge')
        path = pathlib.Path(folder, 'load.yaml')
        for cases in (p for p in PATHS if os.path.exists(p)):
            for line in pathlib.Path(cases).read_text().splitlines():
                case = json.loads(line)
                if case['kind'] != 'cronjob':
                    continue
                why = [text for member, text in NOT_MODELLED.items() if member in case['in']]
                if case['in']['controllerRunsFrom'] != case['in']['createdAt']:
                    why.append('its controller runs from the start')
                if why:
                    left_out[case['name']] = why[0]
                    continue
                asked += 1
                path.write_text(load(case['in']))
                equal(figures(path, *types), (len(case['expect']['jobs']), case['expect']['activeAtEnd']), case['name'])
        check(asked >= 3, f'{asked} cases')
        print(f'{asked} cases', *(f'{name} not modelled: {why}' for name, why in left_out.items()), sep='\n')
        # A Job of 12 minutes every 10: at :10, :22, :34, :46, :58. Replaced, each is deleted after 10.
        case = {'createdAt': '2026-06-10T00:05:00Z', 'until': '2026-06-10T01:05:00Z', 'schedule': '*/10 * * * *', 'jobSeconds': 720}
        for policy, wanted in (('Forbid', (5, 1)), ('Replace', (6, 1)), ('Allow', (6, 1))):
            path.write_text(load({**case, 'concurrencyPolicy': policy}))
            equal(figures(path, *types), wanted, policy)
        path.write_text(load({**case, 'concurrencyPolicy': 'Wait'}))
        error = run('replay', path, *types, status=1)[1]
        check('cronJobs[0].concurrencyPolicy: Allow, Forbid or Replace' in error, error)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
