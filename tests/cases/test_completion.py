# SPDX-License-Identifier: Apache-2.0
"""Completion scripts have every command and option of the help; unknown options name the nearest one."""
import re
import shutil
import subprocess

from stories import check, equal, finish, run

scripts = {shell: run('completion', shell)[0] for shell in ('bash', 'zsh', 'fish')}
commands = re.findall(r'^  ([a-z]+)  ', run('--help')[0], re.M)
check('plan' in commands and 'completion' in commands, commands)
for command in commands:
    options = set(re.findall(r'^  --([a-z-]+)', run(command, '--help')[0], re.M))
    for shell in ('bash', 'zsh'):
        row = re.search(rf"^  {command}\) options=['(](.*?)[')] ;;$", scripts[shell], re.M)
        equal(set(re.findall(r'--([a-z-]+)', row.group(1) if row else '')), options, f'{shell}: {command}')
    equal(set(re.findall(rf"from {command}' -l ([a-z-]+)", scripts['fish'])), options, f'fish: {command}')
if shutil.which('bash'):
    done = subprocess.run(['bash', '-n'], input=scripts['bash'], text=True, capture_output=True)
    equal(done.returncode, 0, done.stderr)
    asked = scripts['bash'] + '\nCOMP_WORDS=(karp plan --sett); COMP_CWORD=2; _karp; echo "${COMPREPLY[@]}"\n'
    equal(subprocess.run(['bash'], input=asked, text=True, capture_output=True).stdout.strip(), '--settle', 'bash completes')
_, error = run('completion', 'tcsh', status=1)
check('bash, zsh and fish' in error, error)
for given, meant in (('--setle', '--settle'), ('--regoin=x', '--region'), ('--fail-no', '--fail-on')):
    _, error = run('plan', given, status=1)
    check(f'no such option; {meant}?' in error, error)
_, error = run('plan', '--nothing-like-it', status=1)
check('no such option (' in error, error)
raise SystemExit(finish())
