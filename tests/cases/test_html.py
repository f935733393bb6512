# SPDX-License-Identifier: Apache-2.0
"""karp plan -o html and karp disrupt -o html: pages that are well formed, complete, and safe whatever the names are."""
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

KARP = os.environ['KARP']
SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])
# What a page may be made of. Nothing of it can run anything or load anything.
TAGS = {'html', 'head', 'meta', 'title', 'body', 'div', 'span', 'b', 'i', 'style', 'code', 'details', 'summary', 'pre', 'script',
        'table', 'tr', 'td', 'th'}
ATTRIBUTES = {'lang', 'charset', 'http-equiv', 'content', 'name', 'style', 'class', 'title', 'type'}
EMPTY = {'meta'}
HOSTILE = ['</title><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)", '</pre></script>',
           '<!--', '&lt;b&gt;', '\u202egnp.exe', 'a\u0007b', '{{7*7}}', '</style><style>*{display:none}', ']]>', '`${x}`']
TYPES = [{'name': name, 'labels': {'node.kubernetes.io/instance-type': [name], 'kubernetes.io/arch': ['amd64'],
                                   'kubernetes.io/os': ['linux']},
          'capacity': {'cpu': cpu, 'memory': '64Gi', 'pods': '110'}, 'overhead': {},
          'offerings': [{'zone': 'zone-a', 'capacityType': 'on-demand', 'price': 0.05 * int(cpu), 'available': True}]}
         for name, cpu in (('small', '2'), ('large', '8'))]


class Page(html.parser.HTMLParser):
    """Holds what a page may have, and that tags are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.problems, self.text, self.inside, self.classes, self.titles = [], [], '', {}, [], []
        self.feed(text)
        self.close()
        if self.open:
            self.problems.append(f'not closed: {self.open}')

    def handle_starttag(self, tag, attributes):
        if tag not in TAGS:
            self.problems.append(f'a tag {tag}')
        for name, value in attributes:
            if name not in ATTRIBUTES:
                self.problems.append(f'an attribute {name}="{value}"')
            if name == 'style' and ('url' in value or 'expression' in value or '@' in value):
                self.problems.append(f'a style {value}')
        values = dict(attributes)
        self.classes += values.get('class', '').split()
        self.titles.append(values.get('title', ''))
        if tag == 'script' and values.get('type') != 'application/json':
            self.problems.append(f'a script {values}')
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f'</{tag}> closes nothing')

    def handle_data(self, data):
        where = self.open[-1] if self.open else ''
        self.inside[where] = self.inside.get(where, '') + data
        if where not in ('style', 'script'):
            self.text += data

    def handle_comment(self, data):
        self.problems.append(f'a comment {data}')


def pod(name, cpu, node='', namespace='default'):
    made = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name, 'namespace': namespace},
            'spec': {'containers': [{'name': 'main', 'resources': {'requests': {'cpu': cpu, 'memory': '1Gi'}}}]}}
    if node:
        made['spec']['nodeName'] = node
        made['status'] = {'phase': 'Running'}
        made['metadata']['ownerReferences'] = [{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'uid': 'a',
                                                'name': name.rsplit('-', 1)[0] + '-6d4f8b9c7',
                                                'controller': True}]
    return made


def node(name, instance_type='large', cpu='8'):
    return {'apiVersion': 'v1', 'kind': 'Node',
            'metadata': {'name': name, 'labels': {
                'karpenter.sh/nodepool': 'default', 'karpenter.sh/capacity-type': 'on-demand', 'kubernetes.io/arch': 'amd64',
                'kubernetes.io/os': 'linux', 'node.kubernetes.io/instance-type': instance_type,
                'topology.kubernetes.io/zone': 'zone-a', 'kubernetes.io/hostname': name}},
            'spec': {'providerID': 'test:///' + name},
            'status': {'capacity': {'cpu': cpu, 'memory': '64Gi', 'pods': '110'},
                       'allocatable': {'cpu': cpu, 'memory': '64Gi', 'pods': '110'}}}


POOL = {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': 'default'},
        'spec': {'template': {'spec': {'nodeClassRef': {'group': 'test', 'kind': 'TestNodeClass', 'name': 'default'},
                                       'requirements': []}},
                 'disruption': {'consolidationPolicy': 'WhenEmptyOrUnderutilized', 'consolidateAfter': '0s',
                                'budgets': [{'nodes': '100%'}]}}}


class World:
    def __init__(self, folder, objects, types=None):
        self.path, self.types = folder / 'cluster.json', folder / 'types.json'
        self.path.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [POOL, *objects]}))
        self.types.write_text(json.dumps(types or TYPES))

    def karp(self, verb, *options):
        done = subprocess.run([KARP, verb, '-f', str(self.path), '--catalogue', str(self.types), *options],
                              capture_output=True, check=True)
        return done.stdout.decode('utf-8')

    def page(self, verb, *options):
        return Page(self.karp(verb, *options, '-o', 'html'))


def expect(what, condition, shown=''):
    if not condition:
        raise AssertionError(f'{what}: {shown}')


def check_everyday(folder):
    world = World(folder, [node('n1'), node('n2', 'small', '2'), node('n3', 'small', '2'), pod('web-0', '1', 'n1'),
                           pod('web-1', '500m', 'n2'), *[pod(f'api-{i}', '3') for i in range(4)], pod('huge', '900')])
    page = world.page('plan')
    plan = json.loads(world.karp('plan', '-o', 'json'))
    expect('well formed', not page.problems, page.problems)
    expect('the JSON is that of -o json', json.loads(page.inside['script']) == plan, page.inside['script'][:200])
    expect('the text is there', 'Unschedulable (1)' in page.inside['pre'], page.inside['pre'])
    launches, receivers = len(plan['launches']), len(plan['placements'])
    expect('new nodes are green', page.classes.count('new') == launches > 0, page.classes)
    expect('receivers are blue before and after', page.classes.count('recv') == 2 * receivers > 0, page.classes)
    expect('nodes', page.classes.count('n') == 3 + 3 + launches, page.classes.count('n'))
    expect('title', f'{launches} to launch' in page.text and '4 of 5 pods placed' in page.text, page.text[:300])
    expect('who fits nowhere', 'default/huge' in page.text and 'permanent' in page.text, page.text)
    expect('workloads', {'default/api', 'default/web'} <= set(page.text.split()), page.text)
    # What a bar shows adds up to what is requested.
    pieces = [title for title in page.titles if '\u00d7' in title]
    expect('pieces', sum(int(title.split()[0]) for title in pieces) == 2 + 2 + 4, pieces)
    expect('twice the same', world.karp('plan', '-o', 'html') == world.karp('plan', '-o', 'html'))
    expect('nothing is loaded', 'http' not in world.karp('plan', '-o', 'html').replace('http-equiv', ''))
    both = world.page('plan', '--disrupt')
    expect('with disruption', not both.problems and 'to delete' in both.text and 'gone' in both.classes, both.problems)
    disruption = world.page('disrupt')
    expect('disruption', not disruption.problems and 'karp disrupt' in disruption.text and 'gone' in disruption.classes)
    lost = world.page('whatif', '--remove', 'n1')
    expect('what if', not lost.problems and lost.classes.count('gone') == 1, lost.classes)


def check_people(folder):
    """What people look for: names they know, daemons apart, the same order, why a node is kept, what was asked."""
    daemon = pod('agent-abcde', '200m', 'n1.example')
    daemon['metadata']['ownerReferences'][0].update(kind='DaemonSet', name='agent')
    guarded = pod('db-0', '1', 'n2')
    guarded['metadata']['annotations'] = {'karpenter.sh/do-not-disrupt': 'true'}
    job = pod('report-29312345-x2x4z', '1', 'n2')
    job['metadata']['ownerReferences'][0].update(apiVersion='batch/v1', kind='Job', name='report-29312345')
    world = World(folder, [node('n1.example'), node('n2'), node('n3', 'small', '2'), daemon, guarded, job, pod('web-1', '1', 'n3'),
                           pod('api-0', '2')])
    page, source = world.page('plan', '--disrupt'), world.karp('plan', '--disrupt', '-o', 'html')
    expect('well formed', not page.problems, page.problems)
    names = set(page.text.split())
    expect('workloads', {'default/web', 'default/report', 'default/api'} <= names, page.text)
    expect('daemons are no workload', 'default/agent' not in names and page.titles.count('DaemonSets, cpu 0.2') == 2, page.titles)
    before, after = ([title.split('\n')[0] for title in Page(lane).titles if '\nzone-a' in title] for lane in source.split('After<span>'))
    expect('the same order', before == ['n1.example', 'n2', 'n3'] and after == [name for name in before if name in after], (before, after))
    expect('why it is kept', 'pod: do-not-disrupt' in page.text and 'y' in page.classes, page.text)
    expect('moves are marked', 'mv' in page.classes and any('placed here now' in title for title in page.titles), page.titles)
    expect('pools', page.text.count('pool default') >= 5, page.text)
    expect('totals', 'Idle per month' in page.text and page.classes.count('tile') == 5, page.text)
    expect('dark', '@media(prefers-color-scheme:dark)' in page.inside['style'] and 'color-scheme' in source)
    asked = world.page('whatif', '--remove', 'n2', '--price-factor', 'spot=2')
    expect('what is asked', 'cluster.json, without node n2, price factor spot=2' in asked.inside['title'], asked.inside['title'])


def check_owners(folder):
    """Whose requests the nodes are paid for; the costs of all are the cost of the nodes. Cordoned nodes say so."""
    daemon = pod('agent-abcde', '500m', 'n1')
    daemon['metadata']['ownerReferences'][0].update(kind='DaemonSet', name='agent')
    cordoned = node('n2', 'small', '2')
    cordoned['spec']['taints'] = [{'key': 'node.kubernetes.io/unschedulable', 'effect': 'NoSchedule'}]
    world = World(folder, [node('n1'), cordoned, node('n3'), daemon, pod('web-0', '3', 'n1'), pod('api-0', '1', 'n2'), pod('new-0', '2')])
    source = world.karp('plan', '-o', 'html')
    expect('well formed', not Page(source).problems, Page(source).problems)
    table = source.split('<table class="own">')[1].split('</table>')[0]
    rows = {cells[0]: cells[1:] for cells in (re.findall(r'<td[^>]*>([^<]*)', row) for row in table.split('<tr>')[2:])}
    expect('owners, the dearest first', list(rows) == ['default/web', 'default/new', 'default/api', 'DaemonSets', 'nodes without pods'], rows)
    # 5.5 of n1's 8 CPUs and 3 of its 64 GiB are requested; web has 3 and 1 of them.
    part, price = (3 / 8 + 1 / 64) / (5.5 / 8 + 3 / 64), 0.4 * 730
    expect('a part of n1', rows['default/web'] == ['1', '3', '1 GiB', f'${price * part:.2f}', f'${price * part * 2.5 / 8:.2f}', '69%'], rows['default/web'])
    dollars = [float(row[k].strip('$')) for k in (3, 4) for row in rows.values()]
    expect('cost', abs(sum(dollars[:5]) - 0.9 * 730) < 0.03, dollars)
    expect('idle', f'${sum(dollars[5:]):.2f}'[:-1] in source.split('Idle per month')[1][:60], dollars)
    expect('cordoned', source.split('As text')[0].count('>cordoned</span>') == 2, source.count('cordoned'))
    expect('no owners', '<table' not in World(folder, [node('n1')]).karp('plan', '-o', 'html'))
    both = World(folder, [node('n1'), node('n2', 'unknown'), pod('web-0', '1', 'n2')]).karp('plan', '-o', 'html')
    expect('without a price', '<td>nodes without pods</td>' in both and '<td>no price</td>' in both, both)


def check_whatif(folder):
    types = [dict(TYPES[0], name='small')]
    page = World(folder, [node('n1'), pod('web-0', '7', 'n1')], [*types, dict(TYPES[1], offerings=[dict(TYPES[1]['offerings'][0], available=False)])]
                 ).page('whatif', '--remove', 'n1')
    expect('its name', 'karp whatif' in page.inside['title'], page.inside['title'])
    expect('no saving', 'no saving: 1 pod has no node' in page.text, page.text[:400])


def check_designs(folder):
    world = World(folder, [node('n1'), *[pod(f'api-{i}', '1') for i in range(3)]])
    hostile = json.loads(json.dumps(POOL))
    hostile['spec']['disruption']['budgets'] = [{'nodes': '</td><script>'}]
    changes = folder / "a<b>'c.json"
    changes.write_text(json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': [
        pod(f'web-{i}', '1') for i in range(4)]}))
    source = world.karp('whatif', '--design', str(changes), '-o', 'html')
    page = Page(source)
    expect('designs are well formed', not page.problems, page.problems)
    expect('two pictures', page.classes.count('karp') == 2 and source.count('<body') == 1, page.classes)
    expect('totals and pods', 'nodes to launch' in page.text and "Pods that differ in a<b>'c.json" in page.text, page.text[:800])
    both = subprocess.run([KARP, 'diff', '-f', str(world.path), '--catalogue', str(world.types), '-o', 'html', '--', '-f', str(world.path)],
                          capture_output=True, check=True).stdout.decode()
    expect('the same twice', not Page(both).problems and 'Nothing differs.' in both, both[:300])


def check_colours(folder):
    """Pages of designs of one cluster show a workload in one colour, whatever its share of each."""
    sides = []
    for name, sizes in (('a', {'web': '1', 'api': '500m', 'jobs': '100m'}), ('b', {'web': '100m', 'api': '500m', 'jobs': '1'})):
        pods = [pod(f'{kind}-{i}', cpu) for kind, cpu in sizes.items() for i in range(2)]
        page = World(folder, [dict(p, metadata=dict(p['metadata'], ownerReferences=[{
            'apiVersion': 'apps/v1', 'kind': 'StatefulSet', 'uid': 'a', 'name': p['metadata']['name'][:-2], 'controller': True}]))
            for p in pods]).karp('plan', '-o', 'html')
        sides.append(set(re.findall(r'<i class="(w[0-9])"></i>(default/[a-z]+)', page)))
    expect('all in the legend', len(sides[0]) == 3, sides[0])
    expect('the same colours', sides[0] == sides[1], sides)


def check_nothing(folder):
    page = World(folder, []).page('plan')
    expect('nothing at all', not page.problems and page.classes.count('n') == 0 and 'same cost' in page.text, page.text)


def check_same(folder):
    """A pass that changes nothing shows one figure of each total."""
    del folder
    dump = SOURCE / 'tests/cases/asks/dump.json'
    page = subprocess.run([KARP, 'disrupt', dump, '--now', '2026-03-02T22:00:00Z', '-o', 'html'], capture_output=True,
                          text=True, check=True).stdout
    expect('nothing changes', '<span>CPU requested</span><b>47%</b>' in page and '<span>Memory requested</span><b>27%</b>' in page, page[:4000])


def check_hostile(folder):
    """Names of objects are DNS names; instance types, zones, resources and files may be called anything."""
    objects, types = [], []
    for i, name in enumerate(HOSTILE):
        types.append(json.loads(json.dumps(TYPES[i % 2])))
        types[-1].update(name=name)
        types[-1]['offerings'][0]['zone'] = name
        types[-1]['labels']['node.kubernetes.io/instance-type'] = [name]
        objects += [node(f'n{i}', name), pod(f'on-{i}', '1', f'n{i}'), pod(f'huge-{i}', '900'), pod(f'new-{i}', '1')]
        objects[-4]['metadata']['labels']['topology.kubernetes.io/zone'] = name
        objects[-2]['spec']['containers'][0]['resources']['requests'][f'x.y/{i}'] = '1'
        objects[-1]['spec']['nodeSelector'] = {'node.kubernetes.io/instance-type': name}
    world = World(folder, objects, types)
    named = folder / (HOSTILE[1].replace('/', '_') + '.json')
    named.write_bytes(world.path.read_bytes())
    world.path = named
    for verb in ('plan', 'disrupt'):
        page = world.page(verb)
        expect(f'{verb}: names stay names', not page.problems, page.problems)
        seen = page.text + ' '.join(page.titles)
        for name in HOSTILE[:6]:
            expect(f'{verb}: {name} is shown', name in seen, seen[:500])
        for unseen in ('\u202e', '\u0007'):
            expect(f'{verb}: unseen characters are marked', unseen not in page.text + ' '.join(page.titles))
        json.loads(page.inside.get('script', '{}'))


def check_many(folder):
    nodes = [node(f'n{i}', *(('large', '8') if i % 3 else ('small', '2'))) for i in range(300)]
    pods = [pod(f'p-{i}', '500m', f'n{i}') for i in range(300)] + [pod(f'w{i}-x', '7') for i in range(250)]
    world = World(folder, [*nodes, *pods])
    page = world.page('plan')
    expect('folded', not page.problems and page.classes.count('n') < 12, page.classes.count('n'))
    expect('counted', '300 nodes' in page.text and '200 nodes' in page.text and '100 nodes' in page.text, page.text[:500])
    expect('no more than the JSON allows', len(world.karp('plan', '-o', 'html')) < 200_000)
    kinds = [dict(POOL, metadata={'name': f'pool-{i}'}) for i in range(200)]
    many = []
    for i in range(200):
        many.append(node(f'n{i}'))
        many[-1]['metadata']['labels']['karpenter.sh/nodepool'] = f'pool-{i}'
    page = World(folder, [*kinds, *many]).page('plan')
    expect('too many kinds', page.classes.count('n') == 240 and 'and 80 more nodes' in page.text, page.classes.count('n'))


def check_gpus(folder):
    """What a node is bought for is said, and Deployments by their names, also when their ReplicaSets are made up."""
    del folder
    page = subprocess.run([KARP, 'plan', SOURCE / 'tests/cases/asks/gpu.yaml', '-o', 'html'], capture_output=True, text=True, check=True).stdout
    expect('well formed', not Page(page).problems)
    expect('GPUs', '<span>nvidia.com/gpu 2 of 4</span>' in page and '<span>nvidia.com/gpu 8 of 8</span>' in page)
    expect('only where there are some', page.count('<span>nvidia.com/gpu ') == 5, page.count('<span>nvidia.com/gpu '))
    expect('Deployments by name', 'ml/gateway<' in page and 'ml/gateway-' not in page.split('As text')[0].replace('ml/gateway-0', ''), page[:300])


def main():
    for check in (check_gpus, check_everyday, check_people, check_owners, check_whatif, check_designs, check_colours, check_nothing, check_same, check_hostile, check_many):
        with tempfile.TemporaryDirectory() as folder:
            check(pathlib.Path(folder))
        print('passed', check.__name__)
    return 0


if __name__ == '__main__':
    sys.exit(main())
