# SPDX-License-Identifier: Apache-2.0
"""How users call the package, for the type checker (test_types.py); never run."""
from __future__ import annotations

import concurrent.futures
import pathlib
from typing import Dict, List, Optional, Tuple

import karp


def everyday(path: pathlib.Path) -> Tuple[List[str], float]:
    with karp.load([path, {'kind': 'Pod'}], catalogue=karp.catalogue(region='us-west-2'), now='2026-11-21T00:00:00Z') as snapshot:
        plan: karp.Plan = snapshot.plan(profile='karp', explain='full', max_steps=10, should_stop=lambda: False)
        types: List[str] = [launch.choice.instance_type for launch in plan.launches if launch.choice is not None]
        requests: Dict[str, str] = plan.launches[0].requests
        least: Optional[int] = plan.launches[0].requirements[0].min_values
        code: str = plan.unschedulable[0].pools[0].code
        start: int = plan.unschedulable[0].pools[0].types.start
        assert requests and least and code and start
        return types, plan.cost.after


def questions(snapshot: karp.Snapshot) -> bool:
    gone: karp.DisruptionPlan = snapshot.disrupt(method='Drift')
    lost: karp.Plan = snapshot.what_if(remove=['n1'], lose_zone='a', price={'spot': 1.3}, add=b'{}')
    texts: List[str] = [remedy.text for remedy in snapshot.explain(pod='a/b').remedies]
    move: Optional[karp.Move] = snapshot.explain(node='n').best_rejected_move
    found: karp.Verification = karp.verify(snapshot, lost)
    savings: float = gone.commands[0].savings
    return bool(found) and bool(texts) and move is None and savings > 0


def described(snapshot: karp.Snapshot) -> Optional[bytes]:
    kinds = [karp.objects.InstanceType('a', {'cpu': 4}, [karp.Offering('z', 'spot', 0.1)])]
    later: karp.Snapshot = snapshot.edit(apply=[karp.objects.Pod('p', {'cpu': '1'}, affinity=[karp.Requirement('k', 'In', ('v',))])])
    assert karp.load(karp.objects.NodePool('n'), catalogue=kinds) and karp.catalogue(kinds)
    cloud = karp.Provider('gcp', region='europe-west1', settings={'a': 'b'}, facts={'all': b''})
    assert karp.load(b'', provider=cloud) and len(cloud.catalogue(node_class={}))
    memory: Optional[bytes] = later.disrupt(memory=b'', in_progress=['n1']).memory
    return memory


def many(snapshot: karp.Snapshot) -> float:
    with concurrent.futures.ThreadPoolExecutor() as executor:
        rows = karp.sweep([karp.Point(snapshot, price=2.0)], executor=executor, columns=['cost_after'])
    fitting: karp.Fitting = karp.fit([{'CPU': 1}, karp.Demand({'GPU': '1'}, count=2)], {'a': karp.NodeType({'CPU': 1})})
    words: List[object] = snapshot.table('pods')['name'].to_list()
    try:
        snapshot.dump()
    except karp.InputError as error:
        line: Optional[int] = error.line
        assert line
    return fitting.cost_per_hour + len(rows) + len(words)


def replays(path: pathlib.Path) -> Tuple[List[str], float]:
    found: karp.Replay = karp.replay([path, {'kind': 'Story'}], policies='cost', seed=1, boot=45.5, interruptions={'': 0.1},
                                     progress=lambda at: print(at.policy, at.done, at.now.isoformat()))
    costs: karp.Frame = found.table('policies')
    return list(costs.columns), sum(row['dollars'] for row in costs.rows())


def tunes(path: pathlib.Path) -> Tuple[str, List[str]]:
    with concurrent.futures.ThreadPoolExecutor() as executor:
        found: karp.Tuning = karp.tune([path], axes=['weight=10'], traces=path, executor=executor, until='2026-03-02T03:00:00Z')
    best: float = found.designs[found.best]['dollars']
    return found.pools(0) + found.pools() + found.to_html() + str(best), list(found.table().columns)
