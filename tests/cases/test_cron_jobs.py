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
def load(case):
    begins, ends = (datetime.datetime.fromisoformat(case[key].replace('Z', '+00:00')) for key in ('controllerRunsFrom', 'until'))
    pool = HEAD[HEAD.index('objects:'):]
    deadline = f', startingDeadline: {case["startingDeadlineSeconds"]}s' if 'startingDeadlineSeconds' in case else ''
    more = f', timeZone: {case["timeZone"]}' if 'timeZone' in case else ''
    more += f', lastScheduleTime: "{case["createdAt"]}"'  # a Load may begin with a Job, for its CronJobs are older
    if case.get('suspend'):  # half an hour, at the beginning
        more += f', suspend: {{until: "{(begins + datetime.timedelta(minutes=30)).isoformat()}"}}'
    return (f'apiVersion: karp/v1\nkind: Load\nstart: "{case["controllerRunsFrom"]}"\nlength: {int((ends - begins).total_seconds())}s\nnodeReadyAfter: 0s\n{pool}'
            f'cronJobs:\n- {{name: c, schedule: "{case["schedule"]}", concurrencyPolicy: {case["concurrencyPolicy"]}, duration: {case["jobSeconds"]}s, '
            f'cpu: 100m, memory: 64Mi{deadline}{more}}}\n')


def figures(path, *words):
    one = json.loads(run('replay', path, '--boot-jitter', '0s', '-o', 'json', *words)[0])['policies'][0]
    return one['podStarts'] + one['podsPending'], one['podsRunning'] + one['podsPending']


def suspended(path, types, case):
    # Of the times that were missed only the last counts, and not after the deadline.
    text = load({**case, 'concurrencyPolicy': 'Allow', 'jobSeconds': 60})
    for words, starts in (('true', 0), ('false', 6), ('{from: "2026-06-10T00:15:00Z", until: "2026-06-10T00:55:00Z"}', 3),
                          ('{from: "2026-06-10T00:15:00Z", until: "2026-06-10T00:55:00Z"}, startingDeadline: 4m', 2), ('{from: "2026-06-10T00:15:00Z"}', 1)):
        path.write_text(text.replace('cpu: 100m', f'suspend: {words}, cpu: 100m'))
        equal(figures(path, *types)[0], starts, f'suspend: {words}')
    # Summer in a zone whose file ends before: rules say when it begins.
    for year in ('2040-01', '2040-07'):
        hour = {'2040-01': '08:00', '2040-07': '07:00'}[year]
        path.write_text(load({'createdAt': f'{year}-10T00:00:30Z', 'controllerRunsFrom': f'{year}-10T00:00:30Z', 'until': f'{year}-10T{hour}:30Z', 'schedule': '0 9 * * *',
                              'timeZone': 'Europe/Berlin', 'concurrencyPolicy': 'Allow', 'jobSeconds': 60}))
        equal(figures(path, *types)[0], 1, f'nine in Berlin is {hour} in {year}')


def main():
    asked = 0
    with tempfile.TemporaryDirectory() as folder:
        types = types_of(folder, 'us-west-2', 'm5.xlarge')
        path = pathlib.Path(folder, 'load.yaml')
        for cases in (p for p in PATHS if os.path.exists(p)):
            for line in pathlib.Path(cases).read_text().splitlines():
                case = json.loads(line)
                if case['kind'] != 'cronjob':
                    continue
                asked += 1
                path.write_text(load(case['in']))
                equal(figures(path, *types), (len(case['expect']['jobs']), case['expect']['activeAtEnd']), case['name'])
        check(asked >= 3, f'{asked} cases')
        print(f'{asked} cases')
        # A Job of 12 minutes every 10: at :10, :22, :34, :46, :58. Replaced, each is deleted after 10.
        case = {'createdAt': '2026-06-10T00:05:00Z', 'controllerRunsFrom': '2026-06-10T00:05:00Z', 'until': '2026-06-10T01:05:00Z', 'schedule': '*/10 * * * *', 'jobSeconds': 720}
        for policy, wanted in (('Forbid', (5, 1)), ('Replace', (6, 1)), ('Allow', (6, 1))):
            path.write_text(load({**case, 'concurrencyPolicy': policy}))
            equal(figures(path, *types), wanted, policy)
        # Names and descriptors, as Kubernetes and budgets take them: 2026-06-10 is a Wednesday.
        for schedule, wanted in (('@hourly', 1), ('*/10 0,1 * jun Mon-FRI', 6), ('*/10 * * * SAT', 0), ('5/20 * ? * *', 2)):
            path.write_text(load({**case, 'concurrencyPolicy': 'Allow', 'schedule': schedule}))
            equal(figures(path, *types)[0], wanted, schedule)
        for wrong, said in (({'schedule': '0 9 * * 7'}, 'schedule: not a schedule'), ({'schedule': '@every 1h'}, 'schedule: not a schedule'), ({'concurrencyPolicy': 'Wait'}, 'concurrencyPolicy: Allow, Forbid or Replace'), ({'timeZone': '../passwd'}, 'timeZone: not a zone'),
                            ({'timeZone': 'Europe/Nowhere'}, 'timeZone: this machine has no such zone'), ({'timeZone': 'tzdata.zi'}, 'timeZone: not a zone')):
            path.write_text(load({'concurrencyPolicy': 'Allow', **case, **wrong}))
            error = run('replay', path, *types, status=1)[1]
            check(f'cronJobs[0].{said}' in error, error)
        suspended(path, types, case)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
