# SPDX-License-Identifier: Apache-2.0
"""karp.Provider: regions, settings, facts, node classes, and what is wrong with them."""
import pickle

import pytest

import karp

NODE_CLASS = {'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'a'},
              'spec': {'amiSelectorTerms': [{'alias': 'al2023@latest'}], 'subnetSelectorTerms': [{'id': 'subnet-1'}], 'securityGroupSelectorTerms': [{'id': 'sg-1'}], 'kubelet': {'maxPods': 17}}}


def test_as_by_name():
    by_name = karp.load(karp.example(), provider='azure', region='eastus')
    described = karp.load(karp.example(), provider=karp.Provider('azure', region='eastus'))
    assert described.plan().hash == by_name.plan().hash
    assert described.edit(scale={'web': 2}).plan().hash == by_name.edit(scale={'web': 2}).plan().hash
    again = pickle.loads(pickle.dumps(described))
    described.close()
    assert again.plan().hash == by_name.plan().hash


def test_settings_and_classes():
    plain = karp.Provider('aws').catalogue()
    assert {each.name for each in plain} == {each.name for each in karp.catalogue(region='us-west-2')}
    larger = karp.Provider('aws', settings={'vmMemoryOverheadPercent': '0.2'}).catalogue()
    assert karp.quantity(larger['m5.large'].capacity['memory']) < karp.quantity(plain['m5.large'].capacity['memory'])
    assert karp.Provider('aws').catalogue(NODE_CLASS)['m5.large'].capacity['pods'] == '17'


def test_facts(tmp_path):
    with pytest.raises(karp.Error):
        karp.Provider('aws', facts={'all': b'no table'}).catalogue()
    with pytest.raises(karp.FileError):
        karp.Provider('aws', facts={'all': tmp_path / 'nowhere.facts'}).catalogue()


def test_what_is_wrong():
    with pytest.raises(karp.NotFoundError):
        karp.load(karp.example(), provider=karp.Provider('nimbus'))
    with pytest.raises(karp.Error):
        karp.Provider('aws', settings={'noSuchSetting': '1'}).catalogue()
    with pytest.raises(karp.Error):
        karp.Provider('aws').catalogue(b'kind: [')
