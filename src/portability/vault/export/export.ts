import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Caller } from '../../../context.ts'
import type { Reader } from '../../../db/reader.ts'
import { readParts } from '../../../files/store.ts'
import { isoTimestamp } from '../../../lib/dates.ts'
import { fold } from '../../../lib/text.ts'
import { linesOutsideCode } from '../../../notes/links/syntax.ts'
import { loadNotes, tagNamesOf } from '../../../notes/store.ts'
import { readProperties } from '../../../notes/writing/properties.ts'
import { propertyKind } from '../../../properties/service.ts'
import { splitFrontMatter } from '../../front-matter.ts'
import { withNewFile, writeNewFolder } from '../../new-files.ts'
import { bodyTags, tagNameOf } from '../plan/tags.ts'
import { ExportedLinks } from './links.ts'
import { type ExportedNote, planTree, titleOfPath } from './paths.ts'

export interface VaultCounts {
  readonly notes: number
  readonly files: number
}

/**
 * Writes the notes and files of a workspace into a new folder that Obsidian opens: notes in their folders with front
 * matter and links by path, and files beside them.
 */
export const exportVault = (
  reader: Reader,
  caller: Caller,
  target: string,
  onProgress: (done: number) => void,
): VaultCounts =>
  writeNewFolder(reader, target, (folder) => {
    const tree = planTree(reader, caller)
    const links = new ExportedLinks(reader, caller, tree)
    const labels = new Map(propertyKind.list(reader, caller).map(({ key, label }) => [key, label]))
    for (const [at, note] of tree.notes.entries()) {
      writeDated(folder, note.file.path, note.updatedAt, (path) =>
        writeFileSync(path, noteText(reader, note, links, labels)),
      )
      onProgress((at + 1) / tree.notes.length)
    }
    for (const { pk, path, updatedAt } of tree.files)
      writeDated(folder, path, updatedAt, (whole) =>
        withNewFile(whole, (write) => {
          for (const part of readParts(reader, pk)) write(part)
        }),
      )
    return { notes: tree.notes.length, files: tree.files.length }
  })

const HALF_MS = 0.5

/** The time of the file is that of the last change; half a millisecond more survives the rounding of file systems. */
function writeDated(folder: string, path: string, instant: number, write: (path: string) => void): void {
  const whole = join(folder, path)
  mkdirSync(dirname(whole), { recursive: true })
  write(whole)
  const seconds = (instant + HALF_MS) / 1_000
  utimesSync(whole, seconds, seconds)
}

function noteText(
  reader: Reader,
  note: ExportedNote,
  links: ExportedLinks,
  labels: ReadonlyMap<string, string>,
): string {
  const [row] = loadNotes(reader, [note.pk])
  if (!row) throw new Error('a note disappeared during the export')
  const body = links.rewrite(note, row.content)
  const inBody = new Set(
    Array.from(bodyTags([...linesOutsideCode(body, '#')]), (word) => fold(tagNameOf(word) ?? '')),
  )
  const tags = tagNamesOf(row).filter((name) => !inBody.has(fold(name)))
  const lines = [
    ...(titleOfPath(note.file.path) === note.title ? [] : [`title: ${JSON.stringify(note.title)}`]),
    ...(note.aliases.length > 0 ? [`aliases: ${JSON.stringify(note.aliases)}`] : []),
    ...(tags.length > 0 ? [`tags: ${JSON.stringify(tags.sort())}`] : []),
    ...(note.createdAt === note.updatedAt ? [] : [`created: "${isoTimestamp(note.createdAt)}"`]),
    ...Object.entries(readProperties(reader, note.pk)).map(
      ([key, value]) => `${keyText(labels.get(key) ?? key)}: ${JSON.stringify(value)}`,
    ),
  ]
  if (lines.length > 0) return `---\n${lines.join('\n')}\n---\n${body}`
  // A body that begins like front matter must not be taken for it.
  return splitFrontMatter(body).frontMatter ? `---\n---\n${body}` : body
}

const keyText = (name: string): string => (/^[A-Za-z][\w -]*$/.test(name) ? name : JSON.stringify(name))
