# SPDX-License-Identifier: Apache-2.0
"""karp repack on churned clusters: every step keeps what it has to (repacking.py), limits hold, and each format says it."""
import json
import pathlib
import re
import sys
import tempfile

from repacking import cluster, faults
from stories import check, equal, finish, run

NOW = ('--region', 'us-east-1', '--now', '2026-01-02T00:00:00Z')


def plan(file, *options):
    out, _ = run('repack', '-f', file, *NOW, '-o', 'json', '--effort', '20000', *options)
    return json.loads(out)


def small_budget(folder):
    """Two of twenty nodes a step: made step by step, the plan ends below one that is cut into steps (5.713 $/h, with 106 evictions), and with fewer
    of them. (Karpenter's own commands end at 5.657 with 141.)"""
    listed, file = cluster(20, 10), folder / 'small.json'
    file.write_text(json.dumps(listed))
    made = json.loads(run('repack', '-f', file, *NOW, '-o', 'json', '--effort', '500000', '--max-evictions', '141')[0])
    equal(faults(listed, made, 2), [], 'two nodes a step')
    check(made['costAfter'] < 5.7 and made['evictions'] < 106, f'two nodes a step: {made["costAfter"]} with {made["evictions"]}')
    check(made['costAfter'] < 1.035 * made['bound'], f'two nodes a step: {made["costAfter"]} beside the bound {made["bound"]}')
    folder.joinpath('small-plan.json').write_text(json.dumps(made))
    run('verify', folder / 'small-plan.json', '-f', file, *NOW)


def no_time(folder):
    """A deadline that is over at once: nothing moves, and each node says that the search was stopped, not that a budget keeps it."""
    file = folder / 'many.json'
    file.write_text(json.dumps(cluster(300)))
    made = plan(file, '--deadline', '1ns')
    equal((made['stopped'], made['complete'], made['steps']), (True, False, []), 'no time')
    equal({row['code'] for row in made['kept']}, {'SEARCH_STOPPED'}, 'no time: why nodes stay')
    shown, _ = run('repack', '-f', file, *NOW, '--deadline', '1ns')
    check('0 disruptions allowed' not in shown, 'no time: a budget that was not looked at')


def main():
    with tempfile.TemporaryDirectory() as folder:
        small_budget(pathlib.Path(folder))
        no_time(pathlib.Path(folder))
        for name, spread, at_once in (('plain', False, 3), ('spread', True, 3)):
            listed, file = cluster(30, spread=spread), pathlib.Path(folder) / f'{name}.json'
            file.write_text(json.dumps(listed))
            free = plan(file)
            equal(faults(listed, free, at_once), [], name)
            check(free['costAfter'] < 0.8 * free['costBefore'] and len(free['curve']) >= 10, f'{name}: {free["costAfter"]}')
            equal(plan(file), free, f'{name}: once more')
            few = plan(file, '--max-evictions', '10%')
            equal(faults(listed, few, at_once), [], f'{name}, 10 %')
            check(0 < few['evictions'] <= 0.1 * few['pods'], f'{name}: {few["evictions"]} evictions')
            one = plan(file, '--max-steps', '1')
            check(len(one['steps']) == 1, f'{name}: {len(one["steps"])} steps')
            dear = plan(file, '--min-saving-per-eviction', '0.02')
            check(all(s['saving'] >= 0.02 * s['evictions'] for s in dear['steps']), f'{name}: savings per eviction')
            wide = plan(file, '--ignore-budgets')
            equal(faults(listed, wide), [], f'{name}, whatever budgets say')
        out, _ = run('disrupt', '-f', file, *NOW, '-o', 'json', '--profile', 'karp', '--method', 'Repack')
        commands = json.loads(out)['commands']
        check(commands and all(c['method'] == 'Repack' and float(c['savings']) > 0 for c in commands), f'disrupt: {commands}')
        _, error = run('disrupt', '-f', file, *NOW, '--method', 'Repack', status=1)
        check('profile karp' in error, f'disrupt in profile karpenter: {error}')
        _, error = run('disrupt', '-f', file, *NOW, '--method', 'Repack', '--profile', 'karp', '--memory-in', 'no', status=1)
        check('--memory-in' in error, f'disrupt with a memory: {error}')
        text, _ = run('repack', '-f', file, *NOW)
        check('Step 1: saves' in text and '\nCurve' in text and 'Plan: ' in text, 'text')
        yaml, _ = run('repack', '-f', file, *NOW, '-o', 'yaml')
        check(yaml.startswith('# step 1: ') and 'kind: NodeClaim' in yaml, 'yaml')
        page, _ = run('repack', '-f', file, *NOW, '-o', 'html')
        check('<polyline' in page and '>Step 1<' in page and 'script>' in page and 'http-equiv' in page, 'html')
        check('<title>karp repack' in page and '<div class="s">karp repack' in page, 'the first line names another verb')
        before, after = (sum(map(int, re.findall(r' (\d+) pods?</span>', lane))) for lane in
                         re.search(r'class="h">Before(.*?)class="h">After(.*?)class="keys"', page, re.S).groups())
        equal(after, before, 'pods of the nodes after all steps; none is pending')
        check('DaemonSets' not in page, 'pods of later steps are shown as DaemonSets')
        listed, _ = run('repack', '-f', file, *NOW, '-o', 'json')
        launches = {launch['id'] for step in json.loads(listed)['steps'] for launch in step['launches']}
        later = [p for step in json.loads(listed)['steps'] for p in step['placements'] if p['node'] in launches]
        check(later, 'no later step places pods on a launch: the page is not tried')
        for words, part in ((('--max-evictions', '-1'), '--max-evictions'), (('--max-evictions', '101%'), '--max-evictions'),
                            (('--min-saving', 'x'), '--min-saving'), (('--max-steps', 'x'), '--max-steps')):
            _, error = run('repack', '-f', file, *words, status=1)
            check(part in error, f'{words}: {error}')


main()
sys.exit(finish())
