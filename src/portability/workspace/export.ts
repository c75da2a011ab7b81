import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { readParts } from '../../files/store.ts'
import { refused } from '../../refusal.ts'
import { exportFile, listFiles } from './files.ts'
import { FILES, FileNames, FORMAT, MANIFEST, NOTES, STRUCTURES, splitExtension, TRASH } from './format.ts'
import { exportNote, listNotes } from './notes.ts'
import { exportTags, OBJECT_KINDS, propertyKind } from './object-kinds.ts'
import { exportRows, exportStructure, listStructures } from './structures.ts'
import { exportWebhooks } from './webhooks.ts'

/** The number of exported objects of each kind. */
export type Counts = Record<string, number>

interface Export {
  readonly reader: Reader
  readonly caller: Caller
  readonly folder: string
  readonly counts: Counts
  onProgress(done: number): void
}

/**
 * Writes one consistent snapshot of the workspace into a new folder, in the format of `format.ts`. The folder is
 * written under another name and renamed when it is complete.
 */
export function exportWorkspace(
  reader: Reader,
  caller: Caller,
  folder: string,
  onProgress: (done: number) => void,
): Counts {
  try {
    refuseNonEmpty(folder)
    return writeFolder(
      reader,
      caller,
      existsSync(folder) ? realpathSync(folder) : resolve(folder),
      onProgress,
    )
  } catch (error) {
    throw asRefusal(error, folder)
  }
}

function writeFolder(
  reader: Reader,
  caller: Caller,
  target: string,
  onProgress: (done: number) => void,
): Counts {
  const unfinished = join(dirname(target), `.${basename(target)}.unfinished`)
  rmSync(unfinished, { recursive: true, force: true })
  try {
    mkdirSync(unfinished, { recursive: true })
    const counts = inOneSnapshot(reader, () =>
      writeAll({ reader, caller, folder: unfinished, counts: {}, onProgress }),
    )
    refuseNonEmpty(target)
    // rmdir only removes an empty folder.
    if (existsSync(target)) rmdirSync(target)
    renameSync(unfinished, target)
    return counts
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

function refuseNonEmpty(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found && !found.isDirectory()) throw refused(`${folder} is not a folder; name another one.`)
  if (found && readdirSync(folder).length > 0)
    throw refused(`The folder ${folder} is not empty; name another one.`)
}

/** A failed system call, such as EACCES or ENOSPC, as a sentence. */
function asRefusal(error: unknown, folder: string): unknown {
  const { syscall } = error as { syscall?: string }
  if (syscall === undefined) return error
  return refused(`The folder ${folder} cannot be written; check its permissions and the space on its disk.`)
}

function inOneSnapshot<Result>({ sql }: Reader, read: () => Result): Result {
  sql.run('BEGIN')
  try {
    return read()
  } finally {
    sql.run('COMMIT')
  }
}

function writeAll(work: Export): Counts {
  const { reader, caller, counts } = work
  writeObjects(work, 'tags', exportTags(reader, caller))
  for (const kind of [propertyKind, ...OBJECT_KINDS]) writeObjects(work, kind.name, kind.list(reader, caller))
  writeObjects(work, 'webhooks', exportWebhooks(reader, caller))
  writeStructures(work)
  writeFiles(work)
  writeNotes(work)
  writeJson(work, MANIFEST, { format: FORMAT, counts })
  return counts
}

const writeJson = ({ folder }: Export, name: string, value: unknown) =>
  writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`)

function writeObjects(work: Export, name: string, objects: readonly object[]): void {
  work.counts[name] = objects.length
  writeJson(work, `${name}.json`, objects)
}

function writeStructures(work: Export): void {
  const { reader, caller, folder, counts } = work
  const names = new FileNames()
  counts.structures = 0
  counts.records = 0
  mkdirSync(join(folder, STRUCTURES))
  for (const row of listStructures(reader, caller)) {
    const name = names.take(row.name, '')
    counts.structures += 1
    writeJson(work, join(STRUCTURES, `${name}.json`), exportStructure(row))
    counts.records += writeRows(work, join(folder, STRUCTURES, `${name}.jsonl`), row.pk)
  }
}

function writeRows({ reader }: Export, path: string, structure: number): number {
  let count = 0
  withNewFile(path, (write) => {
    for (const rows of exportRows(reader, structure)) {
      count += rows.length
      write(`${rows.join('\n')}\n`)
    }
  })
  return count
}

function withNewFile(path: string, fill: (write: (part: string | Uint8Array) => void) => void): void {
  const handle = openSync(path, 'wx')
  try {
    fill((part) => {
      const bytes = typeof part === 'string' ? Buffer.from(part) : part
      for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
    })
  } finally {
    closeSync(handle)
  }
}

function writeFiles(work: Export): void {
  const { reader, caller, folder } = work
  const names = new FileNames()
  mkdirSync(join(folder, FILES))
  const index = listFiles(reader, caller).map((row) => {
    const stored = names.take(...splitExtension(row.fileName))
    withNewFile(join(folder, FILES, stored), (write) => {
      for (const part of readParts(reader, row.pk)) write(part)
    })
    return exportFile(reader, row, stored)
  })
  writeObjects(work, FILES, index)
}

function writeNotes(work: Export): void {
  const { reader, caller, folder, counts, onProgress } = work
  const names = { [NOTES]: new FileNames(), [TRASH]: new FileNames() }
  const notes = listNotes(reader, caller)
  for (const part of [NOTES, TRASH]) mkdirSync(join(folder, part))
  const trashed = notes.filter(({ deletedAt }) => deletedAt !== null).length
  counts.notes = notes.length - trashed
  counts.trashed_notes = trashed
  for (const [at, { pk, deletedAt }] of notes.entries()) {
    const { title, text } = exportNote(reader, pk, deletedAt)
    const part = deletedAt === null ? NOTES : TRASH
    writeFileSync(join(folder, part, names[part].take(title, '.md')), text)
    onProgress((at + 1) / notes.length)
  }
}
