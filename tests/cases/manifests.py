# SPDX-License-Identifier: Apache-2.0
"""Manifests beside the NodePool of the asks: what karp reads from them, and what it says about them."""
import json
import pathlib
import tempfile

from stories import document, run

ASKS = pathlib.Path(__file__).parent / 'asks'
POOL, APP = ASKS / 'pool.yaml', ASKS / 'app.yaml'
ONE_TYPE = '--catalogue', ASKS / 'type.json'  # where types do not matter: EC2's take most of the time
folder = tempfile.TemporaryDirectory()
# The spec of an EC2NodeClass that the API server takes.
CLASS = {'role': 'r', 'amiSelectorTerms': [{'alias': 'al2023@latest'}], 'subnetSelectorTerms': [{'id': 'subnet-1'}],
         'securityGroupSelectorTerms': [{'tags': {'a': 'b'}}]}


def manifest(*objects):
    """A file of them, until the next is made."""
    path = pathlib.Path(folder.name) / 'input.json'
    path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': list(objects)}))
    return path


def thing(version, kind, name='train', metadata=None, **body):
    return {'apiVersion': version, 'kind': kind, 'metadata': {'name': name, **(metadata or {})}, **body}


def read(*objects, words=()):
    """The objects of which karp makes the cluster."""
    return json.loads(run('dump', POOL, manifest(*objects), *ONE_TYPE, *words)[0])['objects']


def read_pods(*objects, words=()):
    return [o for o in read(*objects, words=words) if o['kind'] == 'Pod']


def notes(*objects, words=()):
    return ' | '.join(document('plan', POOL, manifest(*objects), *ONE_TYPE, *words)['warnings'])


def problems(*objects, words=()):
    return document('plan', POOL, manifest(*objects), *ONE_TYPE, *words).get('problems', [])
