# SPDX-License-Identifier: Apache-2.0
"""karp -o html in a browser without a window: colours cover as much as the pods request, and nothing sticks out at the side."""
import collections
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

SOURCE = pathlib.Path(os.environ['KARP_SOURCE'])
BROWSERS = ('chromium', 'chromium-browser', 'google-chrome', 'chrome')
MARGIN = 15    # pixels at the right side without anything, of the page's 20
FRAME = 19     # of a node's width that its bar does not have
HEIGHT = 24    # of a bar
EDGE = 5       # of it, above pods that move
NODE_HEIGHT = 120
KEY = 11 * 11  # a colour's field in the legend
PAGES = [['plan', 'examples/quickstart'], ['whatif', '--remove', 'system', 'examples/quickstart'],
         ['plan', 'examples/stories/spot-and-on-demand/nodepool.yaml', 'examples/stories/spot-and-on-demand/3-twenty-replicas.yaml']]


def paeth(left, above, corner):
    near = left + above - corner
    return min((abs(near - left), 0, left), (abs(near - above), 1, above), (abs(near - corner), 2, corner))[2]


def rows_of(png):
    """The picture's rows, each a list of (red, green, blue): 8 bits a colour, not interlaced, as browsers write it."""
    assert png.startswith(b'\x89PNG\r\n\x1a\n')
    at, data = 8, b''
    while at < len(png):
        length, kind = struct.unpack('>I4s', png[at:at + 8])
        body = png[at + 8:at + 8 + length]
        if kind == b'IHDR':
            width, height, depth, colour, _, _, interlaced = struct.unpack('>IIBBBBB', body)
            assert depth == 8 and colour in (2, 6) and not interlaced
        elif kind == b'IDAT':
            data += body
        at += 12 + length
    data, each = zlib.decompress(data), 3 if colour == 2 else 4
    before = bytearray(width * each)
    for y in range(height):
        start = y * (width * each + 1)
        how, line = data[start], bytearray(data[start + 1:start + 1 + width * each])
        for x in range(len(line)) if how else ():
            left, corner = (line[x - each], before[x - each]) if x >= each else (0, 0)
            above = before[x]
            line[x] = (line[x] + (0, left, above, (left + above) // 2, paeth(left, above, corner) if how == 4 else 0)[how]) & 255
        yield [tuple(line[x:x + 3]) for x in range(0, len(line), each)]
        before = line


def wanted(page):
    """How many pixels the bars have of each colour, and how many more the frames of nodes may have."""
    colours = {name: tuple(bytes.fromhex(code)) for name, code in re.findall(r'\.karp \.(w\w)\{background-color:#(\w{6})\}', page)}
    frames = {name: tuple(bytes.fromhex(code)) for name, code in re.findall(r'\.karp \.(\w+)\{border-color:#(\w{6});', page)}
    areas, more = collections.Counter(), collections.Counter()
    for kind, node in re.findall(r'<div class="n ?(\w*)"(.*?)(?=<div class="n[ "]|$)', page, flags=re.S):
        width = int(re.search(r'style="--w:(\d+)px', node)[1]) - FRAME
        more[frames.get(kind)] += 4 * (width + FRAME + NODE_HEIGHT)
        bar = node.split('<div class="bar">', 1)[1].split('</div>', 1)[0]
        for name, moved, part in re.findall(r'<i class="(w\w)( mv)?"[^>]*style="width:([\d.]+)%[;"]', bar):
            areas[colours[name]] += width * float(part) / 100 * (HEIGHT - EDGE if moved else HEIGHT)
    assert areas
    return areas, more


def narrow(browser, folder):
    """A telephone's screen, light and dark: nothing sticks out at the side."""
    failed = False
    for scheme, ground in (('0', (18, 18, 18)), ('1', (255, 255, 255))):
        picture = folder / f'narrow-{scheme}.png'
        subprocess.run([browser, '--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', f'--user-data-dir={folder}/profile',
                        f'--blink-settings=preferredColorScheme={scheme}', f'--screenshot={picture}', '--window-size=390,2400',
                        f'file://{folder}/page.html'], env={**os.environ, 'HOME': str(folder)}, stderr=subprocess.DEVNULL, check=True,
                       timeout=300)
        outside = sum(pixel != ground for row in rows_of(picture.read_bytes()) for pixel in row[-10:])
        print(f'390 pixels, scheme {scheme}: {outside} pixels stick out')
        failed |= outside > 0
    return failed


def main():
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None or 'KARP' not in os.environ:
        print('there is no Chromium, or no program')
        return 77
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for words in PAGES:
            what = ' '.join(words)
            page = subprocess.run([os.environ['KARP'], *words, '-o', 'html'], cwd=SOURCE, capture_output=True, text=True, check=True).stdout
            (folder / 'page.html').write_text(page)
            picture = folder / 'picture.png'
            subprocess.run([browser, '--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', f'--user-data-dir={folder}/profile',
                            f'--screenshot={picture}', '--window-size=1000,1600', f'file://{folder}/page.html'],
                           env={**os.environ, 'HOME': name}, stderr=subprocess.DEVNULL, check=True, timeout=300)
            seen, outside = collections.Counter(), 0
            for row in rows_of(picture.read_bytes()):
                seen.update(row)
                outside += sum(pixel != (255, 255, 255) for pixel in row[-MARGIN:])
            areas, frames = wanted(page)
            for colour, area in areas.items():
                # Lines between pods and round corners take something, fields of the legend and edges of text add something.
                if not 0.85 * area - 2 * HEIGHT <= seen[colour] <= 1.02 * area + frames[colour] + KEY + HEIGHT:
                    print(f'{what}: {seen[colour]} pixels of {colour}, not {area:.0f}')
                    failed = True
            if outside or len(seen) < 20:
                print(f'{what}: {outside} pixels stick out, {len(seen)} colours')
                failed = True
            print(f'{what}: {len(areas)} colours')
        failed |= narrow(browser, folder)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
