# SPDX-License-Identifier: Apache-2.0
"""examples/ray without Ray: what is asked of its scheduler interface, by stand-ins for its messages."""
import collections
import os
import pathlib
import subprocess
import sys

SOURCE, BUILD = pathlib.Path(os.environ['KARP_SOURCE']), pathlib.Path(os.environ['KARP_BUILD'])


def name_of(message):
    """Equal for equal requests, which may stand for each other; those of gangs are told apart."""
    return (getattr(message, 'gang', None), repr(message.resources_bundle), repr(message.label_selectors))


def placed_rightly(given, request, answer):
    """No node holds more than it has; at most one of a spread gang is on a node; every copy is placed or left over."""
    placed = collections.Counter()
    for load in answer.loads:
        node = given['nodes'][load.present] if load.present is not None else None
        room = dict(node['free'] if node else given['types'][load.type]['resources'])
        labels = node['labels'] if node else given['types'][load.type]['labels']
        spread = set()
        for share, copies in load.shares:
            placed[name_of(share)] += copies * load.nodes
            for name, value in share.resources_bundle.items():
                room[name] = room.get(name, 1.0 if name.startswith(demands.IMPLICIT) else 0.0) - value * copies
            for constraint in share.placement_constraints:
                if constraint.HasField('anti_affinity'):
                    assert copies == 1 and constraint.anti_affinity.label_name not in spread
                    spread.add(constraint.anti_affinity.label_name)
            assert not share.label_selectors or any(
                all((labels.get(each.label_key) in each.label_values) == (each.operator == worlds.IN) for each in one.label_constraints)
                for one in share.label_selectors)
        assert all(value > -1e-6 for value in room.values()), (load, room)
    wanted = collections.Counter()
    for each in request.resource_requests:
        wanted[name_of(each.request)] += each.count
    left = collections.Counter(map(name_of, answer.infeasible))
    assert all(placed[name] + left[name] == count for name, count in wanted.items())
    for number, gang in enumerate(request.gang_resource_requests):
        whole = {'pack': 1, 'spread': len(gang.requests), None: len(gang.requests)}[given['gangs'][number]['kind']]
        assert sum(placed[name] for name in {name_of(each) for each in gang.requests}) == (
            0 if any(gang is each for each in answer.infeasible_gangs) else whole)


def within_limits(given, answer):
    there = collections.Counter(each['type'] for each in given['nodes'])
    for name, each in given['types'].items():
        assert there[name] + answer.launch.get(name, 0) <= max(each['max'], there[name]), (name, answer.launch)
        if given['max_nodes'] is None:
            assert there[name] + answer.launch.get(name, 0) >= each['min']
    if given['max_nodes'] is not None:
        assert len(given['nodes']) + sum(answer.launch.values()) <= max(given['max_nodes'], len(given['nodes']))


def fits_somewhere(given, message):
    """On an empty node of a type, or on what is free."""
    rooms = [(each['resources'], each['labels']) for each in given['types'].values() if each['max'] > 0]
    rooms += [(each['free'], each['labels']) for each in given['nodes']]
    question = demands._Question([demands._bundle(message, 1)])
    need, selectors = question.bundles[0].amounts, question.bundles[0].selectors
    return any((not selectors or demands._matches(selectors, labels)) and
               all(question.amounts(room, labels).get(name, 0) >= value for name, value in need.items()) for room, labels in rooms)


def check_random_requests():
    seen = collections.Counter()
    for seed in range(400):
        given = worlds.world(seed, tight=seed % 2 == 1)
        request = worlds.request_message(given)
        present = [demands.Present(each['type'], each['total'], each['free'], each['labels']) for each in given['nodes']]
        answer = demands.decide(request, present)
        placed_rightly(given, request, answer)
        within_limits(given, answer)
        left = set(map(name_of, answer.infeasible))
        for each in request.resource_requests:
            if not fits_somewhere(given, each.request):
                assert name_of(each.request) in left
            elif seed % 2 == 0:
                assert name_of(each.request) not in left, seed
        assert demands.decide(request, present) == answer
        seen.update(left=bool(left), gangs=bool(answer.infeasible_gangs), constraints=bool(answer.infeasible_constraints),
                    needed=bool(answer.needed), launches=bool(answer.launch))
    assert min(seen.values()) > 20, seen


def config(cpu, gpu=0, most=100_000, priority=0):
    return {'min': 0, 'max': most, 'priority': priority, 'labels': {},
            'resources': {'CPU': float(cpu), 'GPU': float(gpu), 'memory': 64.0 * 2**30}}


def ask(types, wanted, present=(), prices=None, **others):
    given = {'types': types, 'max_nodes': None, 'demands': wanted, 'gangs': [], 'constraint': None, **others}
    return demands.decide(worlds.request_message(given), present, prices)


def check_by_hand():
    types = {'cpu': config(16), 'gpu': config(16, 1)}
    # The batch of which Ray's own scheduler takes half a minute: a hundredfold of it costs less than tenfold, in lines that are executed.
    def lines(bundles):
        executed = 0

        def note(_frame, event, _argument):
            nonlocal executed
            executed += event == 'line'
            return note

        sys.settrace(note)
        answer = ask(types, [({'CPU': 16.0, 'GPU': 1.0}, bundles, [])])
        sys.settrace(None)
        assert answer.launch == {'gpu': bundles} and not answer.infeasible
        return executed

    few, many = lines(98), lines(9838)
    print(f'98 bundles: {few} lines, 9,838: {many}')
    assert few > 0 and many < 10 * few, (few, many)
    # Nodes with a GPU are for demands with one; a price turns that round, a type that has just failed is dearer.
    assert ask(types, [({'CPU': 4.0}, 8, [])]).launch == {'cpu': 2}
    assert ask(types, [({'CPU': 4.0}, 8, [])], prices={'cpu': 1.0, 'gpu': 0.5}).launch == {'gpu': 2}
    request = worlds.request_message({'types': {'a': config(16), 'b': config(16)}, 'max_nodes': None, 'demands': [({'CPU': 1.0}, 1, [])],
                                      'gangs': [], 'constraint': None})
    assert demands.decide(request).launch == {'a': 1}
    request.recoverable_resource_availabilities = {'a': 0.0}
    assert demands.decide(request).launch == {'b': 1}
    assert ask({'a': config(16), 'b': config(16, priority=3)}, [({'CPU': 1.0}, 1, [])]).launch == {'b': 1}
    # A node that leaves counts, and takes nothing.
    gone = demands.Present('cpu', {'CPU': 16.0}, {'CPU': 16.0}, leaving=True)
    answer = ask({'cpu': config(16, most=1)}, [({'CPU': 1.0}, 2, [])], [gone])
    assert answer.launch == {} and len(answer.infeasible) == 2
    # request_resources() looks at whole nodes, and what it starts is used.
    busy = demands.Present('cpu', {'CPU': 16.0}, {'CPU': 0.0})
    answer = ask({'cpu': config(16)}, [({'CPU': 8.0}, 2, [])], [busy], constraint=[({'CPU': 16.0}, 2)])
    assert answer.launch == {'cpu': 1} and answer.needed == {0} and not answer.infeasible
    answer = ask({'cpu': config(16, most=2)}, [], [busy], constraint=[({'CPU': 16.0}, 3)])
    assert answer.launch == {} and len(answer.infeasible_constraints) == 1


def main():
    library = next((BUILD / 'lib').glob('libkarp-io.so.1'), None)
    if library is None or b'__asan_init' in library.read_bytes():
        print('there are no shared libraries that this interpreter could load')
        return 77
    if 'KARP_LIBRARY' not in os.environ:
        paths = [SOURCE / 'bindings/python', SOURCE / 'examples/ray', SOURCE / 'tests/bindings']
        environment = {**os.environ, 'KARP_LIBRARY': str(BUILD / 'lib'), 'PYTHONPATH': os.pathsep.join(map(str, paths))}
        return subprocess.run([sys.executable, __file__], env=environment).returncode
    global demands, worlds
    import demands
    import ray_worlds as worlds
    check_by_hand()
    check_random_requests()
    return 0


if __name__ == '__main__':
    sys.exit(main())
