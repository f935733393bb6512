# SPDX-License-Identifier: Apache-2.0
"""Pods that have to be in a zone, because they are spread."""
import collections
import itertools
import json
from fractions import Fraction

from bounds.labels import ZONE, agree, one_of, selects, terms_of
from bounds.numbers import need
from bounds.world import requests_of


def alike_in(zone, spec):
    """A key of pods that can go to the same nodes there."""
    affinity = spec.get('affinity') or {}
    others = [affinity.get('nodeAffinity'), 'podAntiAffinity' in affinity]
    return json.dumps([zone, others, [c.get('resources') for c in spec['containers']], spec.get('nodeSelector'), spec.get('tolerations')], sort_keys=True)


def least_in_zones(c, world, names, units):
    """How many pods with these requests are in a zone at least, because they are spread: by requests and zone. For pods of a group alike in
    all else, too: of those that run there, which part is more than may stay at most. And how many groups have so many more pods, which are
    in different zones. If running pods are moved in any order, that holds for a maxSkew of 1."""
    may_go = {m['name'] for m in c.get('cluster', []) if 'pods' in m}
    zones = {one_of(labels, ZONE) for _, _, labels, _, _, _ in world.offerings()}
    zones |= {n['metadata'].get('labels', {}).get(ZONE) for n in world.nodes.values()} - {None}
    groups = collections.defaultdict(list)
    for pod, spec in world.pods.items():
        for x in spec.get('topologySpreadConstraints') or []:
            if x['topologyKey'] == ZONE:
                keys = [(k, world.labels[pod].get(k)) for k in x.get('matchLabelKeys') or []]
                groups[json.dumps([pod.split('/')[0], x.get('labelSelector'), keys, x['maxSkew']], sort_keys=True)].append(pod)
    least, surplus, rests = collections.Counter(), collections.defaultdict(Fraction), collections.Counter()
    for text, members in groups.items():
        namespace, selector, keys, skew = json.loads(text)
        counted = [p for p in world.pods if p.split('/')[0] == namespace and selects(selector or {}, world.labels[p]) and
                   all(world.labels[p].get(k) == v for k, v in keys)]
        asked = [requests_of(world.pods[p]) for p in members]
        sizes = {tuple(x[n] / u for n, u in zip(names, units)) for x in asked}
        if not selector or sorted(counted) != sorted(members) or len(sizes) > 1 or any(world.pods[p].get('nodeName', '') not in {'', *may_go} for p in members):
            continue
        if skew > 1 and 'cluster' in c:
            continue
        own = [z for z in zones if any(agree(t, {ZONE: {z}}) for t in terms_of(world.pods[members[0]]))]
        so_many = max(0, -(-(len(members) - (len(own) - 1) * skew) // len(own)))
        rest = len(members) - so_many * len(own) if skew == 1 else 0
        rests[sizes.copy().pop(), rest, tuple(sorted(own))] += 1
        at = [world.nodes[world.pods[p]['nodeName']]['metadata'].get('labels', {}).get(ZONE) if 'nodeName' in world.pods[p] else None for p in members]
        crowded = sum(at.count(z) > so_many for z in zones)
        for zone in own:
            least[sizes.copy().pop(), zone] += so_many
            alike, last = alike_in(zone, world.pods[members[0]]), so_many + (crowded <= rest and rest > 0)
            surplus[alike] = max(surplus[alike], Fraction(max(at.count(zone) - last, 0), max(at.count(zone), 1)))
    return least, surplus, rests


def check_zones(c, world, names, units):
    said = collections.Counter()
    for class_ in c['classes']:
        if 'zone' in class_:
            said[tuple(map(Fraction, class_['requests'])), class_['zone']] += class_['count']
    least, surplus, rests = least_in_zones(c, world, names, units) if said else ({}, {}, {})
    for g in c.get('groups', []):
        if 'group' in g or not g['domains']:
            continue
        rest, ways = len(g['pods']), sorted(tuple(sorted(d['domain'].split(','))) for d in g['domains'])
        own = tuple(sorted({z for way in ways for z in way}))
        key = tuple(map(Fraction, c['classes'][g['class']]['requests'])), rest, own
        need(ways == sorted(itertools.combinations(own, rest)), f'the class {g["class"]} does not choose among all sets of zones')
        need(g['topologyKey'] == ZONE and g['groups'] <= rests[key], f'more pods of class {g["class"]} choose zones than have to')
        rests[key] -= g['groups']
    for key, count in said.items():
        need(count <= least[key], f'it has more pods in {key[1]} than need be there')
    for i, class_ in enumerate(c['classes']):
        most = surplus.get(alike_in(class_['zone'], world.pods[class_['pod']]), 0) if 'cluster' in c and 'zone' in class_ else 0
        need(Fraction(class_.get('surplus', 0), 10**6) >= most, f'more pods of class {i} run in their zone')
