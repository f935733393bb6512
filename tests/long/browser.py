# SPDX-License-Identifier: Apache-2.0
"""A Chromium without a window, spoken to over a pipe in its own protocol."""
import base64
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time

NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'chrome')
PATIENCE = 100  # seconds until a page is given up
CODES = {'Enter': 13, 'ArrowRight': 39, 'ArrowLeft': 37, 'Tab': 9, 'End': 35, 'Home': 36}


def find():
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    def __init__(self, to, back):
        self.to, self.back, self.number, self.session = to, back, 0, None
        self.faults = []  # what went wrong in the page by itself
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for part in ('Page', 'Runtime', 'Log'):
            self.call(f'{part}.enable')

    def call(self, method, **given):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': given}
        if self.session:
            message['sessionId'] = self.session
        self.to.write(json.dumps(message).encode() + b'\0')
        self.to.flush()
        while True:
            answer = self.read()
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]}')
                return answer['result']
            if answer.get('method') == 'Runtime.exceptionThrown':
                self.faults.append(answer['params']['exceptionDetails'].get('exception', {}).get('description', 'an exception'))
            if answer.get('method') == 'Log.entryAdded' and answer['params']['entry']['level'] == 'error':
                self.faults.append(answer['params']['entry']['text'])

    def read(self):
        parts = b''
        while not parts.endswith(b'\0'):
            byte = self.back.read(1)
            if not byte:
                raise RuntimeError('the browser has ended')
            parts += byte
        return json.loads(parts[:-1])

    def ask(self, expression):
        answer = self.call('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in answer:
            raise RuntimeError(f'{expression}: {answer["exceptionDetails"]}')
        return answer['result'].get('value')

    def wait(self, expression):
        """Until it is true in the page."""
        until = time.monotonic() + PATIENCE
        while not self.ask(expression):
            if time.monotonic() > until:
                raise RuntimeError(f'never true: {expression}')
            time.sleep(0.1)

    def size(self, width, height, mobile=False):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def key(self, name, modifiers=0):
        about = {'key': name, 'code': name, 'windowsVirtualKeyCode': CODES[name], 'modifiers': modifiers}
        self.call('Input.dispatchKeyEvent', type='keyDown', **about, **({'text': '\r'} if name == 'Enter' and not modifiers else {}))
        self.call('Input.dispatchKeyEvent', type='keyUp', **about)

    def type(self, text):
        self.call('Input.insertText', text=text)

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.call('Page.captureScreenshot', format='png')['data']))


@contextlib.contextmanager
def page():
    """A page of a browser of its own, which has no network."""
    with tempfile.TemporaryDirectory() as home:
        to_read, to_write = os.pipe()
        back_read, back_write = os.pipe()
        # The browser reads what it is told on 3 and answers on 4.
        command = ['sh', '-c', f'exec "$@" 3<&{to_read} 4>&{back_write}', 'browser', find(), '--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe',
                   f'--user-data-dir={home}/profile', '--no-first-run', '--host-resolver-rules=MAP * ~NOTFOUND', 'about:blank']
        running = subprocess.Popen(command, pass_fds=(to_read, back_write), env={**os.environ, 'HOME': home}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(back_write)
        try:
            with open(to_write, 'wb') as to, open(back_read, 'rb') as back:
                yield Page(to, back)
        finally:
            running.terminate()
            running.wait()
            time.sleep(0.5)  # its helpers write to the folder until they notice
