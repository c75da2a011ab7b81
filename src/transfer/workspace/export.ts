import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Caller } from '../../context.ts'
import { listFileRows, readParts } from '../../files/store.ts'
import { exportFile } from '../../objects/files.ts'
import { NAMED_FILES, OBJECT_FILES } from '../../objects/kinds.ts'
import { exportNote, listNotes } from '../../objects/notes.ts'
import { exportStructure, listStructures } from '../../objects/structures.ts'
import { recordLine } from '../../records/rows/present.ts'
import type { Reader } from '../../storage/reader.ts'
import { writeRows } from '../csv/export.ts'
import { withNewFile, writeNewFolder } from '../new-files.ts'
import { FILES, FileNames, FORMAT, MANIFEST, NOTES, STRUCTURES, splitExtension, TRASH } from './format.ts'

export type Counts = Record<string, number>

interface Export {
  readonly reader: Reader
  readonly caller: Caller
  readonly folder: string
  readonly counts: Counts
  onProgress(done: number): void
}

/** Writes one consistent snapshot of the workspace into a new folder, in the format of `format.ts`. */
export const exportWorkspace = (
  reader: Reader,
  caller: Caller,
  target: string,
  onProgress: (done: number) => void,
): Counts =>
  writeNewFolder(reader, target, (folder) => writeAll({ reader, caller, folder, counts: {}, onProgress }))

function writeAll(work: Export): Counts {
  const { reader, caller, counts } = work
  for (const { name, list } of [...NAMED_FILES, ...OBJECT_FILES])
    writeObjects(work, name, list(reader, caller))
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
  let records = 0
  mkdirSync(join(folder, STRUCTURES))
  for (const row of listStructures(reader, caller)) {
    const name = names.take(row.name, '')
    counts.structures += 1
    writeJson(work, join(STRUCTURES, `${name}.json`), exportStructure(row))
    withNewFile(join(folder, STRUCTURES, `${name}.jsonl`), (write) => {
      records += writeRows(reader, row.pk, { hasDeleted: true, lineOf: recordLine, write })
    })
  }
  counts.records = records
}

function writeFiles(work: Export): void {
  const { reader, caller, folder } = work
  const names = new FileNames()
  mkdirSync(join(folder, FILES))
  const index = listFileRows(reader, caller).map((row) => {
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
    const note = exportNote(reader, pk, deletedAt)
    const part = deletedAt === null ? NOTES : TRASH
    writeFileSync(join(folder, part, names[part].take(note.frontMatter.title, '.md')), markdownOf(note))
    onProgress((at + 1) / notes.length)
  }
}

/** Every value in the front matter is JSON, which is valid YAML. */
function markdownOf({ frontMatter, content }: ReturnType<typeof exportNote>): string {
  const lines = Object.entries(frontMatter).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return `---\n${lines.join('\n')}\n---\n${content}`
}
