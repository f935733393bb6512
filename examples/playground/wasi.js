// SPDX-License-Identifier: Apache-2.0
// The program karp in a worker: what it asks of a system (WASI preview 1) is answered from files in memory, which it can
// only read. There is no network, no clock but the computer's, no environment.
'use strict';

const BAD_FILE = 8, EXISTS_NOT = 44, INVALID = 28, IS_DIRECTORY = 31, READ_ONLY = 69, NO_SEEK = 70;
const DIRECTORY = 3, REGULAR = 4, CHARACTERS = 2;

class Exit extends Error {
  constructor(status) { super('exit'); this.status = status; }
}

// files: [[path, bytes]], paths without a slash in front. Gives {status, out, err}, both texts as bytes.
function system(words, files) {
  const encoder = new TextEncoder(), contents = new Map(files), written = { 1: [], 2: [] };
  const open = new Map([[0, { bytes: new Uint8Array(), at: 0, kind: CHARACTERS }], [3, { path: '', kind: DIRECTORY }]]);
  let memory, next = 4;
  const view = () => new DataView(memory.buffer);
  const bytes = (at, length) => new Uint8Array(memory.buffer, at, length);
  const text = (at, length) => new TextDecoder().decode(bytes(at, length).slice());
  const normal = path => path.split('/').filter(part => part && part !== '.').join('/');
  const under = path => path === '' ? '' : path + '/';
  const isFolder = path => path === '' || files.some(([name]) => name.startsWith(path + '/'));

  function lookUp(folder, at, length) {
    const from = open.get(folder);
    if (!from || from.kind !== DIRECTORY) return null;
    return normal(under(from.path) + text(at, length));
  }

  function describe(out, kind, size) {
    bytes(out, 64).fill(0);
    view().setUint8(out + 16, kind);
    view().setBigUint64(out + 24, 1n, true);
    view().setBigUint64(out + 32, BigInt(size), true);
    return 0;
  }

  function list(strings, pointers, at) {
    strings.forEach((word, i) => {
      view().setUint32(pointers + 4 * i, at, true);
      const encoded = encoder.encode(word + '\0');
      bytes(at, encoded.length).set(encoded);
      at += encoded.length;
    });
    return 0;
  }

  function listSizes(strings, count, size) {
    view().setUint32(count, strings.length, true);
    view().setUint32(size, strings.reduce((sum, word) => sum + encoder.encode(word).length + 1, 0), true);
    return 0;
  }

  // What is in a folder, as the records of fd_readdir.
  function entries(path) {
    const names = new Map();
    for (const [name] of files) {
      if (!name.startsWith(under(path))) continue;
      const rest = name.slice(under(path).length), slash = rest.indexOf('/');
      names.set(slash < 0 ? rest : rest.slice(0, slash), slash < 0 ? REGULAR : DIRECTORY);
    }
    return [...names].map(([name, kind], i) => {
      const encoded = encoder.encode(name), record = new Uint8Array(24 + encoded.length), fields = new DataView(record.buffer);
      fields.setBigUint64(0, BigInt(i + 1), true);
      fields.setUint32(16, encoded.length, true);
      fields.setUint8(20, kind);
      record.set(encoded, 24);
      return record;
    });
  }

  const refuse = () => READ_ONLY;
  const calls = {
    args_get: (pointers, at) => list(words, pointers, at),
    args_sizes_get: (count, size) => listSizes(words, count, size),
    environ_get: () => 0,
    environ_sizes_get: (count, size) => listSizes([], count, size),
    clock_time_get(id, precision, out) {
      view().setBigUint64(out, BigInt(Math.round(id === 0 ? Date.now() * 1e6 : performance.now() * 1e6)), true);
      return 0;
    },
    random_get: (at, length) => { crypto.getRandomValues(bytes(at, length)); return 0; },
    proc_exit(status) { throw new Exit(status); },
    fd_close: fd => open.delete(fd) || fd === 1 || fd === 2 ? 0 : BAD_FILE,
    fd_fdstat_set_flags: () => 0,
    fd_fdstat_get(fd, out) {
      const file = fd === 1 || fd === 2 ? { kind: REGULAR } : open.get(fd);
      if (!file) return BAD_FILE;
      bytes(out, 24).fill(0);
      view().setUint8(out, file.kind);
      view().setBigUint64(out + 8, ~0n, true);
      view().setBigUint64(out + 16, ~0n, true);
      return 0;
    },
    fd_filestat_get(fd, out) {
      const file = open.get(fd);
      return file ? describe(out, file.kind, file.bytes ? file.bytes.length : 0) : BAD_FILE;
    },
    fd_prestat_get(fd, out) {
      if (fd !== 3) return BAD_FILE;
      view().setUint32(out, 0, true);
      view().setUint32(out + 4, 1, true);
      return 0;
    },
    fd_prestat_dir_name(fd, at) {
      if (fd !== 3) return BAD_FILE;
      bytes(at, 1)[0] = 47;
      return 0;
    },
    fd_read(fd, vectors, count, out) {
      const file = open.get(fd);
      if (!file) return BAD_FILE;
      if (!file.bytes) return IS_DIRECTORY;
      let total = 0;
      for (let i = 0; i < count; i++) {
        const to = view().getUint32(vectors + 8 * i, true), room = view().getUint32(vectors + 8 * i + 4, true);
        const part = file.bytes.subarray(file.at, file.at + room);
        bytes(to, part.length).set(part);
        file.at += part.length;
        total += part.length;
      }
      view().setUint32(out, total, true);
      return 0;
    },
    fd_write(fd, vectors, count, out) {
      if (!written[fd]) return BAD_FILE;
      let total = 0;
      for (let i = 0; i < count; i++) {
        const from = view().getUint32(vectors + 8 * i, true), length = view().getUint32(vectors + 8 * i + 4, true);
        written[fd].push(bytes(from, length).slice());
        total += length;
      }
      view().setUint32(out, total, true);
      return 0;
    },
    fd_seek(fd, offset, whence, out) {
      const file = open.get(fd);
      if (!file) return fd === 1 || fd === 2 ? NO_SEEK : BAD_FILE;
      if (!file.bytes || fd === 0) return NO_SEEK;
      const at = Number(offset) + [0, file.at, file.bytes.length][whence];
      if (!(at >= 0)) return INVALID;
      file.at = at;
      view().setBigUint64(out, BigInt(at), true);
      return 0;
    },
    fd_readdir(fd, at, room, cookie, out) {
      const folder = open.get(fd);
      if (!folder || folder.kind !== DIRECTORY) return BAD_FILE;
      let used = 0;
      // An entry that does not fit is written as far as there is room: then the caller asks again.
      for (const record of entries(folder.path).slice(Number(cookie))) {
        const part = record.subarray(0, room - used);
        bytes(at + used, part.length).set(part);
        used += part.length;
        if (used === room) break;
      }
      view().setUint32(out, used, true);
      return 0;
    },
    path_filestat_get(fd, flags, at, length, out) {
      const path = lookUp(fd, at, length);
      if (path === null) return BAD_FILE;
      if (contents.has(path)) return describe(out, REGULAR, contents.get(path).length);
      return isFolder(path) ? describe(out, DIRECTORY, 0) : EXISTS_NOT;
    },
    path_open(fd, lookup, at, length, how, rights, inherited, flags, out) {
      const path = lookUp(fd, at, length);
      if (path === null) return BAD_FILE;
      if (how & 1 || how & 8) return READ_ONLY;
      if (contents.has(path)) open.set(next, { bytes: contents.get(path), at: 0, kind: REGULAR });
      else if (isFolder(path)) open.set(next, { path, kind: DIRECTORY });
      else return EXISTS_NOT;
      view().setUint32(out, next++, true);
      return 0;
    },
    path_remove_directory: refuse,
    path_rename: refuse,
    path_unlink_file: refuse,
  };

  function whole(parts) {
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) { all.set(part, at); at += part.length; }
    return all;
  }

  return {
    calls,
    run(instance) {
      memory = instance.exports.memory;
      let status = 0;
      try {
        instance.exports._start();
      } catch (reason) {
        status = reason instanceof Exit ? reason.status : 1;
        if (!(reason instanceof Exit)) written[2].push(encoder.encode(`karp: ended by the browser: ${reason.message}\n`));
      }
      return { status, out: whole(written[1]), err: whole(written[2]) };
    },
  };
}

let program;

onmessage = async ({ data }) => {
  if (data.module) {
    program = data.module;
    return;
  }
  let answer;
  try {
    const made = system(data.words, data.files);
    answer = made.run(await WebAssembly.instantiate(program, { wasi_snapshot_preview1: made.calls }));
  } catch (reason) {
    answer = { status: 1, out: new Uint8Array(), err: new TextEncoder().encode(`karp: this browser cannot run it: ${reason.message}\n`) };
  }
  postMessage({ id: data.id, ...answer });
};
