# SPDX-License-Identifier: Apache-2.0
"""Many devices that many pods ask for: each gets one, and no search is given up. What suits nobody is refused within a bound of work."""
import json
import pathlib
import sys
import tempfile

from many_devices import SETTINGS, device_class, resource_slice, with_claim
from stories import document, equal, finish
from traps import instance_type, lines, own_node


def decided(*objects):
    """The decision as a document."""
    with tempfile.TemporaryDirectory() as folder:
        given, types = pathlib.Path(folder, 'in.json'), pathlib.Path(folder, 'types.json')
        given.write_text(lines(SETTINGS, *objects), encoding='utf-8')
        types.write_text(json.dumps([instance_type(i) for i in range(1, 6)]), encoding='utf-8')
        return document('plan', '-f', given, '--catalogue', types)


def one_for_each():
    many = 3000
    answer = decided(device_class('device.driver == "d.io"'), resource_slice('s', [{'name': f'd{i}'} for i in range(many)]),
                     *[o for i in range(many) for o in with_claim(i)])
    equal((answer['complete'], len(answer['unschedulable'])), (True, 0), 'as many devices as pods')
    answer = decided(device_class('device.driver == "d.io"'), resource_slice('s', [{'name': f'd{i}'} for i in range(many - 1)]),
                     *[o for i in range(many) for o in with_claim(i)])
    equal((answer['complete'], [u['code'] for u in answer['unschedulable']]), (True, ['DEVICES']), 'one device too few')


def of_nodes():
    many = 60
    nodes = [own_node(i) for i in range(many)]
    slices = [resource_slice(f's{i}', [{'name': 'a'}], nodeName=f'n{i}') for i in range(many)]
    answer = decided(device_class('device.driver == "d.io"'), *nodes, *slices, *[o for i in range(many) for o in with_claim(i)])
    equal(sorted(len(p['pods']) for p in answer['placements']), [1] * many, 'a device on each node')


def given_up():
    many = 240
    wants = [with_claim(i, selectors=[{'cel': {'expression': f'device.attributes["d.io"].a == {many * 12 + i}'}}]) for i in range(many)]
    devices = [{'name': f'd{i}', 'attributes': {'a': {'int': i}}} for i in range(many * 12)]
    answer = decided(device_class(), *[own_node(i) for i in range(many)], resource_slice('s', devices), *[o for w in wants for o in w])
    equal((answer['complete'], {u['code'] for u in answer['unschedulable']} - {'DEVICES'}), (False, {'DEVICE_SEARCH'}), 'nodes, pods and devices that suit none')


one_for_each()
of_nodes()
given_up()
sys.exit(finish())
