# SPDX-License-Identifier: Apache-2.0
"""The playground in a browser without a window and without a network: what it answers is what the program answers, byte for byte; by
keyboard, in a phone's width, from a link, with bad input. Skipped without Chromium, or what makes programs for WebAssembly."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import browser

SOURCE, BUILD = pathlib.Path(os.environ['KARP_SOURCE']), pathlib.Path(os.environ['KARP_BUILD'])
sys.path.insert(0, str(SOURCE / 'examples/playground'))
import build  # noqa: E402

CLANG = next(filter(None, map(shutil.which, ('clang-14', 'clang'))), None)
READY = 'document.body && document.body.dataset.state === "ready"'
CONTROL = 2
problems = []


def karp(*words, folder, status=0):
    done = subprocess.run([os.environ['KARP'], *words], cwd=folder, capture_output=True, text=True)
    if done.returncode != status:
        problems.append(f'karp {" ".join(words)}: exit status {done.returncode}: {done.stderr}')
    return done.stdout


def same(what, seen, wanted):
    if seen != wanted:
        seen, wanted = str(seen), str(wanted)
        at = len(os.path.commonprefix([seen, wanted]))  # of long texts the part that differs
        problems.append(f'{what}, from {at} on: the page says\n{seen[at:at + 500]}\nand it should be\n{wanted[at:at + 500]}')


def text(page):
    return page.ask('document.getElementById("output").textContent')


def go(page, expression):
    page.ask(expression)
    page.wait(READY)


def view(page, name):
    go(page, f'document.getElementById("view-{name}").click()')


def choose(page, select, value):
    go(page, f'(() => {{ const s = document.getElementById("{select}"); s.value = {json.dumps(value)}; s.onchange(); }})()')


def check_answers(page):
    quick, spare = SOURCE / 'examples', SOURCE / 'examples/playground'
    same('plan of the quickstart', text(page), karp('plan', '-f', 'quickstart', folder=quick))
    view(page, 'picture')
    same('picture', page.ask('document.getElementById("picture").srcdoc'), karp('plan', '-f', 'quickstart', '-o', 'html', folder=quick))
    view(page, 'pod')
    same('the pod that fits nowhere comes first', page.ask('document.getElementById("choice").value'), 'ml/train-0')
    same('why it does not fit', text(page), karp('explain', 'pod', 'ml/train-0', '-f', 'quickstart', folder=quick))
    choose(page, 'choice', 'default/web-5')
    same('another pod', text(page), karp('explain', 'pod', 'default/web-5', '-f', 'quickstart', folder=quick))
    view(page, 'plan')
    choose(page, 'region', 'azure/westeurope')
    same('in another region', text(page), karp('plan', '-f', 'quickstart', '--provider', 'azure', '--region', 'westeurope', folder=quick))
    choose(page, 'region', '')
    choose(page, 'example', 'spare-nodes')
    view(page, 'node')
    same('nodes to remove', text(page), karp('disrupt', '-f', 'spare-nodes', folder=spare))
    choose(page, 'choice', 'node-3')
    same('one node', text(page), karp('explain', 'node', 'node-3', '-f', 'spare-nodes', folder=spare))
    view(page, 'command')
    same('lint', text(page), karp('lint', '-f', 'spare-nodes', folder=spare))


def check_keyboard(page):
    """Tabs by arrows, commands by Enter, the question again by Control and Enter."""
    page.ask('document.getElementById("view-command").focus()')
    page.key('ArrowRight')
    page.wait(READY)
    same('an arrow at the last tab goes to the first', page.ask('document.activeElement.id'), 'view-plan')
    page.key('End')
    page.wait(READY)
    page.ask('(() => { const w = document.getElementById("words"); w.focus(); w.select(); })()')
    page.type('catalogue --region us-east-1')
    page.key('Enter')
    page.wait('document.getElementById("shown").textContent.includes("catalogue") && document.body.dataset.state === "ready"')
    same('a command', text(page), karp('catalogue', '--region', 'us-east-1', folder=SOURCE))
    before = page.ask('asking')
    page.key('Enter', CONTROL)
    page.wait(f'asking > {before} && {READY}')
    hidden = page.ask('[...document.querySelectorAll("button,select,input:not([type=file]),textarea")].filter(e => e.tabIndex < 0 && e.getAttribute("role") !== "tab").map(e => e.id)')
    same('what the keyboard cannot reach', hidden, [])


def check_bad_input(page, folder):
    """An error names file and line, as the program's does; a page that was cut off is said to be so."""
    (folder / 'manifests').mkdir()
    (folder / 'manifests/pasted.yaml').write_text('kind: Pod\nspec: [}\n')
    choose(page, 'example', '')
    view(page, 'plan')
    page.ask('document.getElementById("text").focus()')
    page.type('kind: Pod\nspec: [}\n')
    page.wait(f'{READY} && !document.getElementById("notes").hidden')
    done = subprocess.run([os.environ['KARP'], 'plan', '-f', 'manifests'], cwd=folder, capture_output=True, text=True)
    same('an error', page.ask('document.getElementById("notes").textContent'), done.stderr)
    # Markup in a name stays text.
    go(page, 'state.files = [{name: "a.yaml", text: "apiVersion: v1\\nkind: \\"<img src=x onerror=alert(1)>\\"\\nmetadata: {name: x}\\n"}], showFiles(), ask()')
    same('elements that the input made', page.ask('document.images.length'), 0)
    # Files that are no YAML by their name are read all the same; two of a name are kept apart.
    go(page, 'addFiles([new File(["kind: A"], "a b.txt"), new File(["kind: B"], "a b.txt")])')
    same('names of files', page.ask('state.files.map(f => f.name)'), ['a.yaml', 'a-b.txt.yaml', 'a-b.txt-2.yaml'])


def check_link(page, address):
    choose(page, 'example', 'spare-nodes')
    choose(page, 'region', 'aws/us-east-1')
    view(page, 'node')
    wanted = text(page)
    page.ask('copyLink()')
    link = page.ask('location.href')
    page.call('Page.navigate', url='about:blank')
    page.call('Page.navigate', url=link)
    page.wait(READY)
    same('what a link shows', text(page), wanted)
    same('its region', page.ask('document.getElementById("region").value'), 'aws/us-east-1')
    for broken in ('#1AAAA', link[link.index('#'):-40], '#1'):
        page.call('Page.navigate', url='about:blank')
        page.call('Page.navigate', url=address + broken)
        page.wait(READY)
        same(f'a broken link {broken[:20]}', page.ask('document.getElementById("state").textContent'), 'the link cannot be read: it may have been cut')


def check_phone(page, address, pictures):
    page.size(375, 800, mobile=True)
    page.call('Page.navigate', url='about:blank')
    page.call('Page.navigate', url=address)
    page.wait(READY)
    width = re.search(r'--width (\d+)', page.ask('document.getElementById("shown").textContent'))
    same('plan in a phone\'s width', text(page), karp('plan', '-f', 'quickstart', '--width', width[1] if width else '?', folder=SOURCE / 'examples'))
    for name in ('plan', 'pod', 'node', 'picture', 'command'):
        view(page, name)
        same(f'{name}: what sticks out at the side', page.ask('document.documentElement.scrollWidth - innerWidth'), 0)
        if pictures:
            page.picture(pictures / f'phone-{name}.png')


def main():
    if browser.find() is None or CLANG is None or not pathlib.Path('/usr/lib/wasm32-wasi').is_dir():
        print('there is no Chromium, or no clang with a C library for WebAssembly')
        return 77
    pictures = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if subprocess.run([SOURCE / '.ci/libyaml', folder / 'libyaml.tar.gz'], capture_output=True).returncode:
            print('the source of libyaml cannot be had here')
            return 77
        out = folder / 'playground.html'
        whole, packed = build.make(out, [CLANG], folder / 'libyaml.tar.gz', BUILD)
        print(f'{whole} bytes, {packed} compressed')
        if packed > build.LARGEST:
            problems.append(f'the page has {packed} bytes')
        with browser.page() as page:
            page.size(1600, 900)
            page.call('Page.navigate', url=out.as_uri())
            page.wait(READY)
            if pictures:
                pictures.mkdir(exist_ok=True)
                for shown in ('plan', 'picture', 'pod', 'node', 'command', 'plan'):
                    view(page, shown)
                    page.picture(pictures / f'{shown}.png')
            check_answers(page)
            check_keyboard(page)
            check_bad_input(page, folder)
            check_link(page, out.as_uri())
            check_phone(page, out.as_uri(), pictures)
            problems.extend(f'in the page: {fault}' for fault in page.faults)
    print('\n'.join(problems))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
