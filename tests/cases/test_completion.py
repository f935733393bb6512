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
        row = re.search(rf"^  {command}\) options=['(](.*?)[')]$", scripts[shell], re.M)
        equal(set(re.findall(r'--([a-z-]+)', row.group(1) if row else '')), options, f'{shell}: {command}')
    equal(set(re.findall(rf"from {command}' -l ([a-z-]+)", scripts['fish'])), options, f'fish: {command}')
if shutil.which('bash'):
    done = subprocess.run(['bash', '-n'], input=scripts['bash'], text=True, capture_output=True)
    equal(done.returncode, 0, done.stderr)
    asked = scripts['bash'] + '\nCOMP_WORDS=(karp plan --sett); COMP_CWORD=2; _karp; echo "${COMPREPLY[@]}"\n'
    equal(subprocess.run(['bash'], input=asked, text=True, capture_output=True).stdout.strip(), '--settle', 'bash completes')
    def bash(*words):
        asked = f'{scripts["bash"]}\nCOMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _karp; echo "${{COMPREPLY[@]}}"\n'
        return subprocess.run(['bash'], input=asked, text=True, capture_output=True).stdout.split()

    equal(bash('karp', 'plan', '--profile', 'karpenter-1.1'), ['karpenter-1.14', 'karpenter-1.15'], 'words of an option')
    equal(bash('karp', 'plan', '--profile', '=', 'karpenter-1.1'), ['karpenter-1.14', 'karpenter-1.15'], 'behind =')
    equal(bash('karp', 'plan', '--profile', '='), ['karpenter', 'karpenter-1.14', 'karpenter-1.15', 'karp'], 'nothing behind = yet')
    equal(bash('karp', 'plan', '--scale', '""'), [], 'nobody knows these')
    equal(bash('karp', 'plan', '--region', 'us-w'), ['us-west-2'], 'regions that are built in')
    check('plan' not in bash('karp', 'plan', '-f', '""'), 'files')

# Every word that is offered is taken: what is wrong then is something else.
words = {}
for command, cases in re.findall(r"^  ([a-z]+)\) options='.*?'\n    case \$before in\n(.*?)    esac ;;$", scripts['bash'], re.M | re.S):
    for option, listed in re.findall(r"--([a-z-]+)(?:\|-[a-z])?\) values='(.*?)'", cases):
        for word in listed.split():
            words[command, option, word] = None
        row = re.search(rf"from {command}' -l {option} -x -a '(.*?)' -d", scripts['fish'])
        equal(row and row.group(1).split(), listed.split(), f'fish: {command} --{option}')
        check(f"    --{option}" in scripts['zsh'] and f"values='{listed}'" in scripts['zsh'], f'zsh: {command} --{option}')
check(len(words) > 100 and ('lint', 'output', 'sarif') in words and ('plan', 'output', 'sarif') not in words, f'{len(words)} words')
names = {'explain': ['pod', 'a'], 'simulate': [], 'bench': [], 'completion': ['bash'], 'verify': ['plan.json'], 'diff': [], 'dump': []}
for command, option, word in words:
    if option not in ('region', 'provider'):
        sides = ['--', '/nowhere.yaml'] if command == 'diff' else []
        _, error = run(command, *names.get(command, []), f'--{option}', word, '-f', '/nowhere.yaml', *sides, status=None)
        check(f'--{option}' not in error.replace('--fail-on cost', ''), f'{command} --{option} {word}: {error}')
for region in {word for (_, option, word) in words if option == 'region'}:
    check(region in run('--version')[0], region)
_, error = run('completion', 'tcsh', status=1)
check('bash, zsh and fish' in error, error)
for given, meant in (('--setle', '--settle'), ('--regoin=x', '--region'), ('--fail-no', '--fail-on')):
    _, error = run('plan', given, status=1)
    check(f'no such option; did you mean {meant}?' in error, error)
_, error = run('plan', '--nothing-like-it', status=1)
check('no such option (' in error, error)

if shutil.which('bash'):
    equal(bash('karp', 'explain', '""'), ['pod', 'deployment', 'statefulset', 'replicaset', 'job', 'group', 'node'], 'what can be explained')
    equal(bash('karp', 'completion', 'f'), ['fish'], 'shells')
check("seen_subcommand_from explain' -a 'pod deployment" in scripts['fish'], 'fish')

# Words that are nearly one of the list.
for option, word, meant in (('--replicas-from', 'hpamin', 'hpa-min'), ('--color', 'alwys', 'always'), ('--preferences', 'ignor', 'ignore'),
                            ('--fail-on', 'unschedulible', 'unschedulable'), ('--fail-on', 'cost=$5,note', 'notes')):
    error = run('plan', option, word, status=1)[1]
    check(f'; did you mean {meant}?' in error, error)
check('did you mean' not in run('plan', '--color', 'mauve', status=1)[1], 'no word is near')
raise SystemExit(finish())
