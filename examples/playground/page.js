// SPDX-License-Identifier: Apache-2.0
// The page: keeps the files, asks the worker, shows what the program writes.
'use strict';

const $ = id => document.getElementById(id);
const given = JSON.parse($('given').textContent); // {worker, examples: [{name, files}]}
const OWN = 'manifests'; // the folder of files that are no example
const LARGEST_LINK = 100000;
const PAUSE = 350; // milliseconds without a key before the question is asked again

const state = { folder: OWN, files: [], file: 0, region: '', view: 'plan', pod: '', node: '', words: 'lint' };

// ---- the program ----------------------------------------------------------------------------------------------------

async function unpack(base64, format) {
  const packed = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
  return new Uint8Array(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream(format))).arrayBuffer());
}

const workerAddress = URL.createObjectURL(new Blob([given.worker], { type: 'text/javascript' }));
const compiled = unpack($('program').textContent, 'gzip').then(bytes => WebAssembly.compile(bytes));
let worker = null, waiting = new Map(), questions = 0;

// Runs `karp WORDS` on the files: {status, out, err} as texts; null when it was stopped.
async function karp(words, files) {
  const module = await compiled;
  if (worker === null) {
    worker = new Worker(workerAddress);
    worker.onmessage = ({ data }) => {
      const answer = waiting.get(data.id), text = bytes => new TextDecoder().decode(bytes);
      waiting.delete(data.id);
      answer({ status: data.status, out: text(data.out), err: text(data.err) });
    };
    worker.postMessage({ module });
  }
  const id = ++questions;
  return new Promise(answer => {
    waiting.set(id, answer);
    worker.postMessage({ id, words: ['karp', ...words], files });
  });
}

function stop() {
  if (worker !== null) worker.terminate();
  worker = null;
  const left = [...waiting.values()];
  waiting = new Map();
  left.forEach(answer => answer(null));
}

// ---- what is asked --------------------------------------------------------------------------------------------------

const isFacts = file => file.name.endsWith('.facts');

function bytesOfFiles() {
  const encoder = new TextEncoder();
  return state.files.map(file => [`${isFacts(file) ? 'facts' : state.folder}/${file.name}`, encoder.encode(file.text)]);
}

function input() {
  const [provider, region] = state.region.split('/');
  return ['-f', state.folder, ...state.files.filter(isFacts).flatMap(file => ['--facts', `facts/${file.name}`]),
          ...(provider && provider !== 'aws' ? ['--provider', provider] : []), ...(region ? ['--region', region] : [])];
}

// As many columns as there is room for; the program's own number when that fits.
function width() {
  const probe = document.createElement('span'), style = getComputedStyle($('output'));
  probe.textContent = 'x'.repeat(100);
  probe.style.cssText = 'position:absolute;visibility:hidden';
  $('output').append(probe);
  const each = probe.getBoundingClientRect().width / 100;
  probe.remove();
  const room = $('output').parentElement.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 4;
  const columns = Math.max(40, Math.floor(room / each));
  return columns >= 100 ? [] : ['--width', String(columns)];
}

// "plan -f 'my file'" as a shell would cut it; null when a quote is open.
function cut(line) {
  const words = [];
  let word = null, quote = '';
  for (const letter of line) {
    if (quote) {
      if (letter === quote) quote = '';
      else word += letter;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      word = word ?? '';
    } else if (/\s/.test(letter)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? '') + letter;
    }
  }
  if (word !== null) words.push(word);
  return quote ? null : words;
}

const quoted = word => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

function question() {
  if (state.view === 'picture') return ['plan', ...input(), '-o', 'html'];
  if (state.view === 'pod') return ['explain', 'pod', state.pod, ...input(), ...width()];
  if (state.view === 'node' && state.node) return ['explain', 'node', state.node, ...input(), ...width()];
  if (state.view === 'node') return ['disrupt', ...input(), ...width()];
  if (state.view === 'plan') return ['plan', ...input(), ...width()];
  const words = cut(state.words);
  if (words === null) return null;
  const files = ['plan', 'disrupt', 'explain', 'whatif', 'dump', 'diff', 'repack', 'lint', 'blockers'];
  return files.includes(words[0]) && !words.includes('-f') && !words.includes('--help') ? [...words, ...input()] : words;
}

// ---- what is shown --------------------------------------------------------------------------------------------------

function options(select, groups, value) {
  select.replaceChildren(...groups.filter(([, items]) => items.length).map(([label, items]) => {
    const made = items.map(([key, text]) => new Option(text, key, false, key === value));
    if (!label) return made;
    const group = document.createElement('optgroup');
    group.label = label;
    group.append(...made);
    return group;
  }).flat());
}

// The pods or nodes that can be asked for; false when there is none.
async function choices() {
  const row = state.view === 'pod' || state.view === 'node';
  $('choice-row').hidden = !row;
  $('command-row').hidden = state.view !== 'command';
  if (!row) return true;
  const asked = await karp([state.view === 'pod' ? 'plan' : 'disrupt', ...input(), '-o', 'json'], bytesOfFiles());
  if (asked === null || asked.status === 1) return asked;
  const found = JSON.parse(asked.out);
  if (state.view === 'node') {
    const removed = found.candidates.map(row => row.node), kept = found.kept.map(row => row.node);
    const pairs = names => [...new Set(names)].map(name => [name, name]);
    if (![...removed, ...kept].includes(state.node)) state.node = '';
    options($('choice'), [['', [['', 'all nodes']]], ['Candidates', pairs(removed)], ['Kept', pairs(kept)]], state.node);
  } else {
    const left = found.unschedulable.map(row => row.pod), placed = [...found.launches, ...found.placements].flatMap(row => row.pods);
    if (![...left, ...placed].includes(state.pod)) state.pod = left[0] ?? placed[0] ?? '';
    options($('choice'), [['Unschedulable', left.map(name => [name, name])], ['Placed', placed.map(name => [name, name])]], state.pod);
  }
  $('choice-label').textContent = state.view === 'pod' ? 'Pod' : 'Node';
  return state.view === 'node' || state.pod ? true : { status: 0, out: 'There is no pending pod.\n', err: '' };
}

let asking = 0;

async function ask() {
  const mine = ++asking;
  if (waiting.size) stop();
  for (const tab of $('views').children) {
    const on = tab.id === `view-${state.view}`;
    tab.setAttribute('aria-selected', on);
    tab.tabIndex = on ? 0 : -1;
    if (on) $('panel').setAttribute('aria-labelledby', tab.id);
  }
  document.body.dataset.state = 'busy';
  $('state').textContent = 'working…';
  $('stop').hidden = false;
  let answer, words = null;
  try {
    answer = await choices();
    if (answer === true) {
      words = question();
      answer = words === null ? { status: 1, out: '', err: 'a quote is not closed\n' } : await karp(words, bytesOfFiles());
    }
  } catch (reason) {
    answer = { status: 1, out: '', err: `this browser cannot run it: ${reason.message}\n` };
  }
  if (mine !== asking) return;
  show(words, answer);
}

function show(words, answer) {
  const picture = state.view === 'picture' && answer !== null && answer.status === 0;
  $('shown').textContent = words === null ? '' : `$ karp ${words.map(quoted).join(' ')}`;
  $('state').textContent = answer === null ? 'stopped' : answer.status === 0 ? '' : `exit status ${answer.status}`;
  $('stop').hidden = true;
  $('notes').hidden = answer === null || answer.err === '';
  $('notes').textContent = answer === null ? '' : answer.err;
  $('output').hidden = picture || answer === null || answer.out === '' && answer.err !== '';
  $('picture').hidden = !picture;
  $('output').textContent = picture || answer === null ? '' : answer.out;
  if (picture) $('picture').srcdoc = answer.out;
  document.body.dataset.state = 'ready';
}

// ---- the files ------------------------------------------------------------------------------------------------------

function showFiles() {
  $('files').replaceChildren(...state.files.map((file, i) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-selected', i === state.file);
    tab.tabIndex = i === state.file ? 0 : -1;
    tab.textContent = file.name;
    tab.onclick = () => { state.file = i; showFiles(); };
    return tab;
  }));
  const shown = state.files[state.file];
  $('text').value = shown ? shown.text : '';
  $('text').disabled = !shown;
  $('remove').disabled = !shown;
  options($('example'), [['', [['', 'your own'], ...given.examples.map(example => [example.name, example.name])]]],
          given.examples.some(example => example.name === state.folder) ? state.folder : '');
}

function addFile(name, text) {
  // Of a folder the program reads .yaml, .yml and .json.
  let wanted = name.replace(/[^\w.-]+/g, '-') || 'pasted.yaml';
  if (!/\.(ya?ml|json|facts)$/.test(wanted)) wanted += '.yaml';
  const [stem, end] = [wanted.replace(/\.\w+$/, ''), wanted.match(/\.\w+$/)[0]];
  for (let i = 2; state.files.some(file => file.name === wanted); i++) wanted = `${stem}-${i}${end}`;
  state.files.push({ name: wanted, text });
  state.file = state.files.length - 1;
}

async function addFiles(list) {
  const texts = await Promise.all([...list].map(async file => [file.name, await file.text()]));
  // What is dropped on an example, or on an empty file, takes its place.
  if (state.folder !== OWN || state.files.every(file => file.text.trim() === '')) state.files = [];
  state.folder = OWN;
  texts.forEach(([name, text]) => addFile(name, text));
  showFiles();
  ask();
}

function takeExample(name) {
  const example = given.examples.find(item => item.name === name);
  state.folder = example ? name : OWN;
  state.files = example ? example.files.map(file => ({ ...file })) : [{ name: 'pasted.yaml', text: '' }];
  state.file = 0;
}

// ---- the link -------------------------------------------------------------------------------------------------------

async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function link() {
  const { folder, files, region, view, pod, node, words } = state;
  const packed = await through(new TextEncoder().encode(JSON.stringify({ folder, files, region, view, pod, node, words })), new CompressionStream('deflate-raw'));
  let letters = '';
  for (const byte of packed) letters += String.fromCharCode(byte);
  return '#1' + btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

// What a link holds comes from anywhere: only what has the right form is taken. False when it has not.
async function follow(hash) {
  try {
    const letters = atob(hash.slice(2).replaceAll('-', '+').replaceAll('_', '/'));
    const packed = Uint8Array.from(letters, letter => letter.charCodeAt(0));
    const read = JSON.parse(new TextDecoder().decode(await through(packed, new DecompressionStream('deflate-raw'))));
    const isText = value => typeof value === 'string';
    const known = [...given.examples.map(example => example.name), OWN], views = [...$('views').children].map(tab => tab.id.slice(5));
    if (!known.includes(read.folder) || !views.includes(read.view) || !Array.isArray(read.files) || ![read.region, read.pod, read.node, read.words].every(isText)) return false;
    if (!read.files.every(file => isText(file.name) && isText(file.text) && /^[\w.-]+$/.test(file.name))) return false;
    const { folder, region, view, pod, node, words } = read;
    Object.assign(state, { folder, region, view, pod, node, words, file: 0, files: read.files.map(({ name, text }) => ({ name, text })) });
    return true;
  } catch {
    return false;
  }
}

async function copyLink() {
  const hash = await link();
  history.replaceState(null, '', hash);
  let said = `the address of this page now holds the input (${Math.ceil(hash.length / 1000)} kB)`;
  if (hash.length > LARGEST_LINK) said += '; many programs cut links that long';
  try {
    await navigator.clipboard.writeText(location.href);
    said = `copied; ${said}`;
  } catch { /* not allowed here: the address has it */ }
  $('state').textContent = said;
}

// ---- hands ----------------------------------------------------------------------------------------------------------

function arrows(list) {
  list.addEventListener('keydown', event => {
    const tabs = [...list.children], at = tabs.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const index = (to + tabs.length) % tabs.length;
    tabs[index].click();
    list.children[index].focus();
  });
}

let pause = 0;

function later() {
  clearTimeout(pause);
  document.body.dataset.state = 'busy';
  pause = setTimeout(ask, PAUSE);
}

function begin() {
  $('text').oninput = () => { state.files[state.file].text = $('text').value; later(); };
  $('example').onchange = () => { takeExample($('example').value); showFiles(); ask(); };
  $('region').onchange = () => { state.region = $('region').value; ask(); };
  $('choice').onchange = () => { state[state.view] = $('choice').value; ask(); };
  $('command-row').onsubmit = event => { event.preventDefault(); state.words = $('words').value; ask(); };
  $('add').onclick = () => { addFile('pasted.yaml', ''); showFiles(); $('text').focus(); };
  $('open').onclick = () => $('pick').click();
  $('pick').onchange = () => addFiles($('pick').files).then(() => { $('pick').value = ''; });
  $('remove').onclick = () => { state.files.splice(state.file, 1); state.file = Math.max(0, state.file - 1); showFiles(); ask(); };
  $('link').onclick = copyLink;
  $('stop').onclick = stop;
  for (const tab of $('views').children) tab.onclick = () => { state.view = tab.id.slice(5); ask(); };
  arrows($('views'));
  arrows($('files'));
  addEventListener('keydown', event => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') { clearTimeout(pause); ask(); }
  });
  addEventListener('dragover', event => { event.preventDefault(); document.body.classList.add('dropping'); });
  addEventListener('dragleave', () => document.body.classList.remove('dropping'));
  addEventListener('drop', event => {
    event.preventDefault();
    document.body.classList.remove('dropping');
    if (event.dataTransfer.files.length) addFiles(event.dataTransfer.files);
  });
  let columns = String(width());
  addEventListener('resize', () => { if (String(width()) !== columns) { columns = String(width()); later(); } });
  addEventListener('hashchange', start);
}

async function start() {
  const followed = location.hash.startsWith('#1') && await follow(location.hash);
  if (!followed) takeExample(given.examples[0].name);
  showFiles();
  const clouds = [...(await karp(['--version'], [])).out.matchAll(/^(\w+): ([^;]+);/gm)];
  options($('region'), [['', [['', 'as the manifests say']]], ...clouds.map(([, cloud, names]) => [cloud, names.split(', ').map(name => [`${cloud}/${name}`, name])])], state.region);
  if (![...$('region').options].some(option => option.value === state.region)) $('region').value = state.region = '';
  $('words').value = state.words;
  await ask();
  if (location.hash && !followed) $('state').textContent = 'the link cannot be read: it may have been cut';
}

begin();
start();
