import type { Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/write-queue.ts'
import { isId } from '../lib/ids.ts'
import { codePointLength, fold } from '../lib/text.ts'
import { fail, notFound } from '../refusal.ts'
import { parseLinks } from './link-syntax.ts'
import { findByAlias, findHead, findNote, findOldestByTitle, type NoteHead } from './store.ts'

export interface NoteLinks {
  outgoing: { text: string; note: NoteHead | undefined }[]
  backlinks: NoteHead[]
}

/** Longer than any id, alias or title: such a target can never be resolved. */
const MAX_TARGET = 500

/** The form in which targets are kept and compared. */
const targetKey = (target: string): string => fold(target.trim())

/** Resolves a folded target as of now: a note id, then an alias, then a title, of several the oldest (contract 4). */
export function resolveTarget(reader: Reader, workspace: number, target: string): NoteHead | undefined {
  return (
    (isId(target) ? findHead(reader, workspace, target) : undefined) ??
    findByAlias(reader, workspace, target) ??
    findOldestByTitle(reader, workspace, target)
  )
}

/** Keeps the table of link targets in step with a body. */
export function indexLinks(tx: Tx, workspace: number, note: number, content: string, isNew = false): void {
  if (!isNew) tx.sql.run('DELETE FROM note_links WHERE note = ?', note)
  const targets = new Set(parseLinks(content).map(({ target }) => targetKey(target)))
  for (const target of targets) {
    if (codePointLength(target) > MAX_TARGET) continue
    tx.sql.run('INSERT INTO note_links (workspace, target, note) VALUES (?, ?, ?)', workspace, target, note)
  }
}

/** The outgoing links in the order of the body, each occurrence, and the backlinks, newest edit first. */
export function getLinks(reader: Reader, { workspacePk }: Caller, id: string): NoteLinks {
  const note = findNote(reader, workspacePk, id) ?? fail(notFound('note'))
  const resolved = new Map<string, NoteHead | undefined>()
  const outgoing = parseLinks(note.content).map(({ target, label }) => {
    const key = targetKey(target)
    if (!resolved.has(key)) resolved.set(key, resolveTarget(reader, workspacePk, key))
    const found = resolved.get(key)
    return { text: label ?? (found && found.id === key ? found.title : target), note: found }
  })
  return { outgoing, backlinks: findBacklinks(reader, workspacePk, note) }
}

function findBacklinks(reader: Reader, workspace: number, note: NoteHead): NoteHead[] {
  const names = [note.id, note.alias, note.title].filter((name) => name !== null).map(targetKey)
  const targets = [...new Set(names)].filter(
    (target) => resolveTarget(reader, workspace, target)?.pk === note.pk,
  )
  return reader.sql.all(
    `SELECT DISTINCT n.pk, n.id, n.title, n.alias, n.created_at AS createdAt, n.updated_at AS updatedAt
     FROM json_each(?) AS wanted
     CROSS JOIN note_links l ON l.workspace = ? AND l.target = wanted.value
     CROSS JOIN notes n ON n.pk = l.note AND n.deleted_at IS NULL
     ORDER BY n.updated_at DESC, n.id DESC`,
    JSON.stringify(targets),
    workspace,
  )
}
