# SPDX-License-Identifier: Apache-2.0
"""Jobs that say how long their pods run, in kwok's words: replays and stories create, end and repeat their pods as the Job controller does."""
import json
import pathlib
import sys
import tempfile

from stories import check, equal, finish, run, types_of
from test_replay_scheduler import HEAD

COMPLETES, FAILS = 'pod-complete.stage.kwok.x-k8s.io', 'pod-container-running-failed.stage.kwok.x-k8s.io'


def job(seconds, code=0, name='batch', **spec):
    stage = FAILS if code else COMPLETES
    metadata = {'annotations': {f'{stage}/delay': f'{seconds}s', f'{stage}/jitter-delay': f'{seconds}s'}}
    if code:
        metadata['labels'] = {stage: 'true'}
        metadata['annotations'][f'{stage}/exit-code'] = str(code)
    container = {'name': 'main', 'image': 'none', 'resources': {'requests': {'cpu': '500m', 'memory': '256Mi'}}}
    return {'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': name}, 'spec': {**spec, 'template': {'metadata': metadata, 'spec': {
        'restartPolicy': 'Never', 'containers': [container]}}}}


def cron(seconds, schedule='* * * * *', **spec):
    return {'apiVersion': 'batch/v1', 'kind': 'CronJob', 'metadata': {'name': 'tick'}, 'spec': {'schedule': schedule, **spec, 'jobTemplate': {'spec': job(seconds)['spec']}}}


def story(path, steps, objects=()):
    text = HEAD + ''.join(f'- {json.dumps(one)}\n' for one in objects) + 'steps:\n' + ''.join(f'- {json.dumps(step)}\n' for step in steps)
    path.write_text(text)
    return path


def figures(path, types):
    one = json.loads(run('replay', path, '--boot', '15s', '--boot-jitter', '0s', '-o', 'json', *types)[0])['policies'][0]
    totals = json.loads(run('simulate', path, '-o', 'json', *types)[0])['totals']
    check(totals['launches'] > 0, 'nodes of the story')
    return one['podStarts'], one['podsEnded'], one['podsRunning'], one['podsPending']


def bound(path, types):
    """How many pods the story binds."""
    out = json.loads(run('simulate', path, '-o', 'json', *types)[0])
    return sum(len(event['detail'].split()) for step in out['steps'] for event in step['events'] if event['event'] == 'bound')


def rules(*given):
    return {'podFailurePolicy': {'rules': list(given)}}


def code(action, *values):
    return {'action': action, 'onExitCodes': {'operator': 'In', 'values': list(values)}}


# What a Job of so many seconds, with the exit code, has done after five minutes: pods started, ended, running. A node is ready after 15 s.
CASES = [
    ('two at a time', job(20, parallelism=2, completions=5), (5, 5, 0)),
    ('one by default', job(20), (1, 1, 0)),
    ('until one succeeds', job(20, parallelism=3), (3, 3, 0)),
    ('it still runs', job(3000, parallelism=2, completions=5), (2, 0, 2)),
    ('indexes', job(20, completionMode='Indexed', parallelism=2, completions=3), (3, 3, 0)),
    ('one index by default', job(20, completionMode='Indexed'), (1, 1, 0)),
    ('some indexes are enough', job(20, completionMode='Indexed', parallelism=1, completions=5, successPolicy={'rules': [{'succeededIndexes': '0-1'}]}), (2, 2, 0)),
    # Again 10, 20, 40 and 80 s after a failure.
    ('a limit of failures', job(20, 3, backoffLimit=2), (3, 3, 0)),
    ('failures with a longer and longer pause', job(20, 3, backoffLimit=6), (5, 5, 0)),
    ('an exit code that ends the Job', job(20, 3, backoffLimit=6, **rules(code('FailJob', 3))), (1, 1, 0)),
    ('another exit code', job(20, 4, backoffLimit=1, **rules(code('FailJob', 3))), (2, 2, 0)),
    ('each index once more', job(20, 3, completionMode='Indexed', parallelism=2, completions=2, backoffLimitPerIndex=1), (4, 4, 0)),
    ('an index that fails at once', job(20, 3, completionMode='Indexed', parallelism=2, completions=2, backoffLimitPerIndex=1, **rules(code('FailIndex', 3))), (2, 2, 0)),
    ('a deadline', job(3000, activeDeadlineSeconds=60, parallelism=2, completions=2), (2, 2, 0)),
    ('nothing at a time', {**job(20), 'spec': {**job(20)['spec'], 'parallelism': 0}}, (0, 0, 0)),
    ('it is suspended', job(20, suspend=True), (0, 0, 0)),
]


def one_by_one(path, types):
    web = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'first'}, 'spec': {'containers': [{'name': 'main', 'resources': {'requests': {'cpu': '100m'}}}]}}
    for name, given, wanted in CASES:
        for applied in (True, False):
            steps = [{'apply': given}, {'wait': '5m'}] if applied else [{'wait': '5m'}]
            got = figures(story(path, steps, [web] if applied else [web, given]), types)
            equal(got, (wanted[0] + 1, wanted[1], wanted[2] + 1, 0), f'{name}{"" if applied else ", from the start"}')
        equal(bound(path, types), wanted[0] + 1, f'{name}, in karp simulate')


def changes(path, types):
    paused, short = job(20, suspend=True), job(20, parallelism=2, completions=8)
    got = figures(story(path, [{'apply': paused}, {'wait': '1m'}, {'replace': job(20, parallelism=1)}, {'wait': '2m'}]), types)
    equal(got, (1, 1, 0, 0), 'a Job that goes on')
    got = figures(story(path, [{'apply': short}, {'wait': '55s'}, {'delete': 'job/batch'}, {'wait': '2m'}]), types)
    equal(got, (4, 4, 0, 0), 'a Job that is deleted')
    got = figures(story(path, [{'apply': short}, {'wait': '55s'}, {'delete': 'job/batch'}, {'wait': '2m'}, {'apply': job(20)}, {'wait': '1m'}]), types)
    equal(got, (5, 5, 0, 0), 'and created anew')
    got = figures(story(path, [{'apply': short}, {'wait': '30s'}, {'apply': {**short, 'spec': {**short['spec'], 'parallelism': 1}}}, {'wait': '5m'}]), types)
    equal(got[2:], (0, 0), 'fewer at a time')
    equal(got[1], 9, 'the pod that was one too many does not count')


# CronJobs that are there from the start, and what has started, ended and runs after 4 minutes and 30 seconds.
CRONS = [
    ('every minute', cron(20), (5, 5, 0)),
    ('every other minute', cron(20, '*/2 * * * *'), (3, 3, 0)),
    ('the one that was missed follows at once', cron(90, concurrencyPolicy='Forbid'), (3, 2, 1)),
    ('it is too late for that', cron(90, concurrencyPolicy='Forbid', startingDeadlineSeconds=20), (3, 2, 1)),
    ('and for the second one', cron(70, concurrencyPolicy='Forbid', startingDeadlineSeconds=5), (3, 2, 1)),
    ('one ends for the next', cron(90, concurrencyPolicy='Replace'), (5, 4, 1)),
    ('it is suspended', cron(20, suspend=True), (0, 0, 0)),
    ('one in Berlin is midnight', cron(20, '1 1 * * *', timeZone='Europe/Berlin'), (1, 1, 0)),
]


def by_schedule(path, types):
    web = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'first'}, 'spec': {'containers': [{'name': 'main', 'resources': {'requests': {'cpu': '100m'}}}]}}
    for name, given, wanted in CRONS:
        got = figures(story(path, [{'wait': '270s'}], [web, given]), types)
        equal(got, (wanted[0] + 1, wanted[1], wanted[2] + 1, 0), name)
    steps = [{'wait': '30s'}, {'apply': cron(20)}, {'wait': '1m'}, {'apply': cron(20, '*/2 * * * *')}, {'wait': '3m'}, {'delete': 'cronjob/tick'}, {'wait': '5m'}]
    equal(figures(story(path, steps, [web]), types)[:3], (4, 3, 1), 'applied, changed and deleted')  # at 60, 120 and 240 s
    steps = [{'wait': '100s'}, {'delete': 'cronjob/tick'}, {'wait': '2m'}]
    equal(figures(story(path, steps, [web, cron(1000)]), types)[1:3], (2, 1), 'its Jobs go with it')
    # Without kwok's jitter, a pod ends after five seconds at the latest.
    given = job(1000)
    del given['spec']['template']['metadata']['annotations'][f'{COMPLETES}/jitter-delay']
    equal(figures(story(path, [{'apply': given}, {'wait': '30s'}]), types)[:3], (1, 1, 0), "kwok's jitter")


def evictions(path, types):
    """An evicted pod has failed, unless the policy ignores disruptions; in either case another one is created."""
    spot = {'parallelism': 1, 'completions': 1, 'backoffLimit': 0}
    ignores = rules({'action': 'Ignore', 'onPodConditions': [{'type': 'DisruptionTarget'}]})
    for more, starts in (({}, 1), (ignores, 2)):
        steps = [{'apply': job(100, **spot, **more)}, {'wait': '30s'}, {'interrupt': {'nodes': 1, 'selector': {'karpenter.sh/nodepool': 'default'}}}, {'wait': '5m'}]
        text = story(path, steps).read_text().replace('on-demand', 'spot')
        path.write_text(text)
        equal(bound(path, types), starts, f'an interruption: {more}')


def resumed(path, types):
    """A replay goes on from a dump while Jobs and CronJobs are there, with the same bytes."""
    many = job(20, completionMode='Indexed', completions=5, parallelism=2, backoffLimitPerIndex=1)
    steps = [{'apply': many}, {'wait': '40s'}, {'apply': job(30, name='other', completions=4, parallelism=2)}, {'wait': '2m'},
             {'interrupt': {'nodes': 1, 'selector': {'karpenter.sh/nodepool': 'default'}}}, {'wait': '7m'}]
    story(path, steps, [cron(70, concurrencyPolicy='Forbid')])
    path.write_text(path.read_text().replace('on-demand', 'spot'))
    whole = run('replay', path, *types, '-o', 'json')[0]
    for at in (1, 61, 75, 90, 121, 130, 190, 300, 420):
        then = path.with_suffix('.then.json')
        then.write_text(run('replay', path, *types, '--dump-at', f'{at}s')[0])
        equal(run('replay', path, *types, '-o', 'json', '--nodepools', then)[0], whole, f'resumed after {at} s')


def errors(path, types):
    wrong = [(job(20, completionMode='Indexed', parallelism=2), 'completions'), (job(20, parallelism=-1), 'parallelism'),
             (job(20, **rules({'action': 'Perhaps', 'onExitCodes': {'operator': 'In', 'values': [1]}})), 'an action is not known'),
             (job(20, completionMode='Indexed', completions=3, successPolicy={'rules': [{'succeededIndexes': '0-'}]}), 'succeededIndexes'),
             (cron(20, 'soon'), 'schedule'), (cron(20, timeZone='Nowhere/At-All'), 'no such zone'), (cron(20, concurrencyPolicy='Perhaps'), 'concurrencyPolicy')]
    for given, said in wrong:
        out, error = run('replay', story(path, [{'apply': given}, {'wait': '1m'}]), *types, status=None)
        check(said in out + error, f'{said}: {out}{error}')
    changed = job(30)
    error = run('replay', story(path, [{'apply': job(20)}, {'apply': changed}, {'wait': '1m'}]), *types, status=1)[1]
    check('the template of a Job does not change' in error, error)
    never = cron(20)
    del never['spec']['jobTemplate']['spec']['template']['metadata']
    error = run('replay', story(path, [{'apply': never}, {'wait': '1m'}, {'apply': cron(20)}, {'wait': '1m'}]), *types, status=1)[1]
    check('did not before' in error, error)


def main():
    with tempfile.TemporaryDirectory() as folder:
        types = types_of(folder, 'us-west-2', 'm5.xlarge')
        path = pathlib.Path(folder, 'story.yaml')
        one_by_one(path, types)
        changes(path, types)
        by_schedule(path, types)
        evictions(path, types)
        resumed(path, types)
        errors(path, types)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
