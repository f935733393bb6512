# SPDX-License-Identifier: Apache-2.0
"""Three clusters and what their people ask: training and inference on GPUs, batch jobs under a limit, teams behind taints."""
import json
import pathlib

from stories import check, document, equal, finish, run

ASKS = pathlib.Path(__file__).parent / 'asks'
GPU, BATCH, TEAMS = ASKS / 'gpu.yaml', ASKS / 'batch.yaml', ASKS / 'teams.yaml'


def text(*words, status=0):
    """Standard output in one line, however it is broken."""
    return ' '.join(run(*words, status=status)[0].split())


def explained(path, *words):
    return json.loads(run('explain', *words, path, '-o', 'json')[0])


def gpus():
    plan = document('plan', GPU)
    train, = [launch for launch in plan['launches'] if launch['pods'] == ['ml/llm-train-0']]
    said = text('plan', GPU)
    check('memory 1024200Mi, nvidia.com/gpu 8 of 8, DaemonSets included' in said, said)
    check('nvidia.com/gpu 2 of 4' in said, 'GPUs that are left over')
    # The other pools are asked by their own names: what they say is of the pod, not of a name.
    others = {a['nodePool']: a for a in explained(GPU, 'pod', 'ml/llm-train-0')['alternatives']}
    equal(sorted(others), ['cpu', 'infer'], 'other pools')
    for name, answer in others.items():
        equal(answer['code'], 'TYPE_RESOURCES', f'{name}: too small')
        check(f'karpenter.sh/nodepool In [{name}]' in answer['detail'], answer)
    equal(train['nodePool'], 'train', 'where it goes')
    # A pod without the toleration; the heavier pool is full in this round.
    notebook = explained(GPU, 'deployment', 'ml/notebook')
    check(any('tolerate nvidia.com/gpu' in r['text'] for r in notebook['remedies']), notebook['remedies'])
    equal(document('plan', GPU, '--delete', 'nodepool/train')['unschedulable'][0]['pod'], 'ml/llm-train-0', 'without the pool for training')


def batch():
    plan = document('plan', BATCH)
    equal(len(plan['unschedulable']), 8, 'beyond the limits')
    notes = ' '.join(plan['warnings'])
    check('Job report: suspended (spec.suspend), so no pods' in notes, notes)
    check('it has no pods before its time, then 10 a run; plan for one run with the Job of kubectl create job' in notes, notes)
    run('plan', BATCH, '--fail-on', 'notes', status=3)
    # Neither limit alone is enough, so both are named.
    remedy = explained(BATCH, 'job', 'batch/backfill')['remedies'][0]
    equal((remedy['text'], remedy['kind']), ('raise the limits cpu, memory of NodePool batch', 'RAISE_LIMIT'), 'what places it')
    few = document('plan', BATCH, '--scale', 'batch/backfill=5')
    left, = [u['pod'] for u in few['unschedulable']]
    said = text('explain', 'pod', left, BATCH, '--scale', 'batch/backfill=5')
    check('raise the limits cpu to 80, memory to 322764Mi of NodePool batch' in said, said)
    wide = text('plan', BATCH, '--scale', 'batch/backfill=4')
    check('6 of 6 pods placed' in wide, wide)


def teams():
    said = text('explain', 'pod', 'search/index-0', TEAMS)
    check('Smallest change that works: tolerate team=search:NoSchedule ->' in said, said)
    check('tolerate team=payments' not in said, 'a taint of another team is no change that helps')
    check('error NodePool fallback spec.template.spec.nodeClassRef EC2NodeClass defualt is not in the input [node-class-missing]'
          in text('lint', TEAMS), 'a node class that is spelt wrongly')
    crawler = {a['nodePool']: a for a in explained(TEAMS, 'deployment', 'search/crawler')['alternatives']}
    check('code' not in crawler['shared'] and float(crawler['shared']['costChange']) < 0, 'what the taint of another team costs')
    document_ = json.loads(run('diff', TEAMS, '-o', 'json', '--', '--delete', 'deploy/search/crawler', '--scale', 'payments/ledger=3')[0])
    alone = {(f['object'], f['field']): f['alone'] for f in document_['differences'][0]['fields']}
    equal(sorted(alone), [('Deployment payments/ledger', 'spec.replicas'), ('Deployment search/crawler', '')], 'two changes')
    for (name, _), way in zip(sorted(alone), (['--scale', 'payments/ledger=3'], ['--delete', 'deploy/search/crawler'])):
        equal(alone[name, _]['perHour'], float(document('plan', TEAMS, *way)['cost']['after']), f'{name} alone')


gpus()
batch()
teams()
raise SystemExit(finish())
