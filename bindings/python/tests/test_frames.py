# SPDX-License-Identifier: Apache-2.0
"""Columns say what the objects say."""
from __future__ import annotations

import json
import pathlib

import pytest

import karp
from conftest import TYPES, pod, pool


def test_columns_of_a_plan(busy: karp.Snapshot) -> None:
    plan = busy.plan(disrupt=True)
    table = plan.table('launches')
    assert len(table) == len(plan.launches) and table['id'].to_list() == [row.id for row in plan.launches]
    assert table['price'].to_list() == [row.choice.price for row in plan.launches if row.choice]
    assert [tuple(names) for names in table['instance_types'].to_list()] == [row.instance_types for row in plan.launches]
    assert [tuple(names) for names in table['pod_names'].to_list()] == [row.pods for row in plan.launches]
    pods = plan.table().to_dict()
    names = [f'{namespace}/{name}' for namespace, name in zip(pods['namespace'], pods['name'])]
    targets = dict(zip(names, pods['target']))
    assert {name for row in plan.launches for name in row.pods} == {name for name, t in targets.items() if t.startswith('new-')}
    assert dict(zip(names, pods['outcome']))['default/huge'] == 'unschedulable'
    placements = plan.table('placements')
    assert placements['node'].to_list() == [row.node for row in plan.placements]
    assert [tuple(names) for names in placements['pod_names'].to_list()] == [row.pods for row in plan.placements]
    assert plan.table('unschedulable')['pod_name'].to_list() == [row.pod for row in plan.unschedulable]
    assert plan.table('nodes')['cpu_requested'].to_list() == [row.cpu_requested for row in plan.nodes]
    assert plan.disruption is not None
    assert plan.disruption.table('kept')['reason'].to_list() == [row.code for row in plan.disruption.kept]
    for name in ('refusals', 'ignored', 'candidates', 'commands'):
        assert plan.table(name).columns
    with pytest.raises(ValueError, match='no table'):
        plan.table('tables')
    table = plan.table('nodes')
    plan.close()
    assert table['node'].to_list() == ['n1', 'n2', 'n3']
    with pytest.raises(karp.ClosedError):
        plan.table()


def test_columns_of_a_snapshot_and_a_catalogue(busy: karp.Snapshot) -> None:
    pods = busy.table('pods').to_dict()
    assert tuple(f'{a}/{b}' for a, b in zip(pods['namespace'], pods['name'])) == busy.pods
    assert pods['requests.cpu'][0] == 0.5
    assert tuple(busy.table('nodes')['name'].to_list()) == busy.nodes
    catalogue = karp.catalogue(TYPES)
    assert catalogue.table('instance_types')['name'].to_list() == ['small', 'large']
    assert catalogue.table()['price'].to_list() == [offer.price for each in catalogue for offer in each.offerings]


def test_text_may_be_anything(tmp_path: pathlib.Path) -> None:
    names = ['a', 'é€😀', '日本', 'z' * 100]
    file = tmp_path / 'types.json'
    file.write_text(json.dumps([{'name': name, 'capacity': {'cpu': '1'}, 'offerings': []} for name in names]), encoding='utf-8')
    assert karp.catalogue(file).table('instance_types')['name'].to_list() == names
    assert karp.load([], catalogue=TYPES).table('pods').to_dict()['name'] == []


def test_pandas(busy: karp.Snapshot) -> None:
    pandas = pytest.importorskip('pandas')
    plan = busy.plan()
    for source, names in ((plan, ('pods', 'launches', 'nodes', 'ignored')), (busy, ('pods', 'nodes')),
                          (karp.catalogue(TYPES), ('offerings', 'instance_types'))):
        for name in names:
            frame = source.to_pandas(name)
            assert isinstance(frame, pandas.DataFrame)
            assert {key: list(frame[key]) for key in frame} == source.table(name).to_dict()
    assert str(plan.to_pandas()['outcome'].dtype) == 'category'
    assert plan.to_pandas('nodes')['cpu_requested'].dtype == 'float64'
    assert len(karp.load([]).to_pandas()) == 0


def test_polars(busy: karp.Snapshot) -> None:
    polars = pytest.importorskip('polars')
    plan = busy.plan()
    for source, names in ((plan, ('pods', 'launches', 'nodes', 'ignored')), (busy, ('pods', 'nodes')),
                          (karp.catalogue(TYPES), ('offerings', 'instance_types'))):
        for name in names:
            frame = source.to_polars(name)
            assert isinstance(frame, polars.DataFrame)
            assert {key: frame[key].to_list() for key in frame.columns} == source.table(name).to_dict()


def test_a_frame_says_what_the_document_says() -> None:
    """Thousands of rows, so that names and words come from every part of the columns."""
    pandas = pytest.importorskip('pandas')
    assert pandas
    pods = [pod(f'web-{i}', namespace=f'team-{i % 7}', cpu=('500m', '1', '64')[i % 3]) for i in range(3000)]
    plan = karp.load([pool(), *pods], catalogue=TYPES).plan()
    written = plan.to_dict()
    frame = plan.to_pandas('pods')
    names = frame['namespace'].astype(str) + '/' + frame['name'].astype(str)
    targets = dict(zip(names, frame['target'].astype(str)))
    assert len(targets) == 3000
    launched = {name: launch['id'] for launch in written['launches'] for name in launch['pods']}
    left = {row['pod'] for row in written['unschedulable']}
    assert len(launched) == 2000 and len(left) == 1000
    assert {name: target for name, target in targets.items() if name in launched} == launched
    assert set(names[frame['outcome'].astype(str) == 'unschedulable']) == left
    launches = plan.to_pandas('launches')
    assert list(launches['id']) == [launch['id'] for launch in written['launches']]
    assert list(launches['price']) == [float(launch['choice']['price']) for launch in written['launches']]


def same_rows(table: karp.Table, rows: dict) -> None:
    assert list(rows) == list(table.columns)
    assert rows == table.to_dict()


def test_arrow_capsules(busy: karp.Snapshot) -> None:
    """Capsules that nobody takes give the table up; those that are asked for twice are two."""
    import gc

    from karp import _arrow
    table = busy.plan().table('launches')
    first, second = table.__arrow_c_stream__(), table.__arrow_c_stream__()
    schema, array = table.__arrow_c_array__()
    assert [type(each).__name__ for each in (first, second, schema, array)] == ['PyCapsule'] * 4
    assert 'arrow_array_stream' in repr(first) and 'arrow_schema' in repr(schema) and len(_arrow._alive) == 4
    del first, second, schema, array
    gc.collect()
    assert not _arrow._alive
    assert table['id'].to_list()


def test_pyarrow(busy: karp.Snapshot) -> None:
    pyarrow = pytest.importorskip('pyarrow')
    plan = busy.plan()
    for table in (plan.table('pods'), plan.table('launches'), busy.table('nodes'), karp.catalogue(TYPES).table('offerings')):
        same_rows(table, pyarrow.table(table).to_pydict())
        same_rows(table, pyarrow.record_batch(table).to_pydict())
    types = plan.table('launches')
    names = pyarrow.table(types).schema
    assert names.field('instance_types').type == pyarrow.list_(pyarrow.field('item', pyarrow.dictionary(pyarrow.uint32(), pyarrow.utf8()), nullable=False))
    assert names.field('price').type == pyarrow.float64() and not names.field('price').nullable
    batch = pyarrow.record_batch(types)
    batch.validate(full=True)
    plan.close()
    del types, plan
    assert batch.column('id').to_pylist()  # the memory lives as long as the batch


def test_polars_takes_tables(busy: karp.Snapshot) -> None:
    polars = pytest.importorskip('polars')
    plan = busy.plan()
    for table in (plan.table('pods'), plan.table('launches'), busy.table('nodes')):
        frame = polars.DataFrame(table)
        assert frame.columns == list(table.columns)
        assert {name: column.to_list() for name, column in zip(frame.columns, frame.get_columns())} == table.to_dict()
