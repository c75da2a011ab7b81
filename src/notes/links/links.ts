import type { AppContext, Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { QueryPlan, WorkerQuery } from '../../db/worker/client.ts'
import { isId } from '../../lib/ids.ts'
import { codePointLength, fold } from '../../lib/text.ts'
import { fail, notFound } from '../../refusal.ts'
import { findByAlias, findHead, findNote, findOldestByTitle, type NoteHead, type NoteRow } from '../store.ts'
import { parseFileTargets, parseLinks } from './syntax.ts'

export interface NoteLinks {
  outgoing: { text: string; note: NoteHead | undefined }[]
  backlinks: NoteHead[]
}

/** A title has 500 characters, and folding composes, which makes up to three of one. A longer target is never resolved. */
const MAX_FOLDED = 1_500

/**
 * The form in which a target is kept and compared: folded, without the blanks around it; when there are any,
 * a line break (which no target holds) and the whole of it follow, because a title may begin or end in blanks.
 */
export function targetKey(target: string): string {
  const whole = fold(target)
  const bare = whole.trim()
  return bare === whole ? bare : `${bare}\n${whole}`
}

/**
 * Resolves a target key as of now: a note id, then an alias, then a title, of several the oldest (contract, section 4).
 * Blanks around a target do not count, unless they belong to a title.
 */
export function resolveTarget(reader: Reader, workspace: number, key: string): NoteHead | undefined {
  const [bare = '', whole] = key.split('\n')
  return (
    (whole === undefined ? undefined : findOldestByTitle(reader, workspace, whole)) ??
    (isId(bare) ? findHead(reader, workspace, bare) : undefined) ??
    findByAlias(reader, workspace, bare) ??
    findOldestByTitle(reader, workspace, bare)
  )
}

/**
 * The keys of a body's links as `note_links` keeps them: each once, without those that cannot be resolved. A link to
 * a file has its target as key, `file:<id>`, which is no note's.
 */
export function linkTargets(content: string): string[] {
  const keys = new Set(parseLinks(content).map(({ target }) => targetKey(target)))
  for (const target of parseFileTargets(content)) keys.add(target)
  return [...keys].filter((key) => codePointLength(key.split('\n')[0] ?? '') <= MAX_FOLDED)
}

/** Keeps the table of link targets in step with a body; only what differs is written. */
export function indexLinks(
  { sql }: Reader,
  workspace: number,
  note: number,
  content: string,
  isNew = false,
): void {
  const missing = new Set(linkTargets(content))
  const kept = isNew ? [] : sql.column<string>('SELECT target FROM note_links WHERE note = ?', note)
  for (const target of kept) {
    if (missing.delete(target)) continue
    sql.run('DELETE FROM note_links WHERE workspace = ? AND target = ? AND note = ?', workspace, target, note)
  }
  for (const target of missing) {
    sql.run('INSERT INTO note_links (workspace, target, note) VALUES (?, ?, ?)', workspace, target, note)
  }
}

interface LinksQuestion {
  readonly workspace: number
  readonly id: string
}

interface LinksPlan extends QueryPlan {
  readonly workspace: number
  readonly note: NoteRow
}

/** A target is looked for among ids, aliases and titles. */
const ROWS_PER_TARGET = 4
/** No links are counted beyond so many: reads of more are not told apart. */
const COUNTED = 20_000

/** The outgoing links in the order of the body, each occurrence, and the backlinks, newest edit first. */
export const getLinks = (
  ctx: AppContext,
  { workspacePk: workspace }: Caller,
  id: string,
): Promise<NoteLinks> => ctx.worker.run(linksRead, { workspace, id })

/** Answers which notes are linked; listed in `heavy-reads.ts`. */
export const linksRead: WorkerQuery<LinksQuestion, LinksPlan, NoteLinks> = {
  name: 'notes.links',
  plan: (reader, { workspace, id }) => {
    const note = findNote(reader, workspace, id) ?? fail(notFound('note'))
    const targets = reader.sql.scalar<number>('SELECT count(*) FROM note_links WHERE note = ?', note.pk)
    return { workspace, note, rows: targets * ROWS_PER_TARGET + countLinksTo(reader, workspace, note) }
  },
  run: (reader, { workspace, note }) => ({
    outgoing: resolveLinks(reader, workspace, note.content),
    backlinks: findBacklinks(reader, workspace, note),
  }),
}

function resolveLinks(reader: Reader, workspace: number, content: string): NoteLinks['outgoing'] {
  const resolved = new Map<string, NoteHead | undefined>()
  return parseLinks(content).map(({ target, label }) => {
    const key = targetKey(target)
    if (!resolved.has(key)) resolved.set(key, resolveTarget(reader, workspace, key))
    const found = resolved.get(key)
    return { text: label ?? (found?.id === fold(target).trim() ? found.title : target), note: found }
  })
}

/** By what links may mean a note, as their keys are kept. */
const namesOf = ({ id, alias, title }: NoteHead): string[] =>
  [id, alias, title].filter((name) => name !== null).map((name) => fold(name).trim())

/** The links that may mean a note of this name: as it is, or with blanks around it. */
const OF_NAME = 'FROM note_links WHERE workspace = ? AND target >= ? AND target < ?'

const keysOfName = (reader: Reader, workspace: number, name: string): string[] =>
  reader.sql.column(`SELECT DISTINCT target ${OF_NAME}`, workspace, name, `${name}\v`)

function countLinksTo(reader: Reader, workspace: number, note: NoteHead): number {
  const text = `SELECT count(*) FROM (SELECT 1 ${OF_NAME} LIMIT ${COUNTED})`
  return namesOf(note).reduce(
    (count, name) => count + reader.sql.scalar<number>(text, workspace, name, `${name}\v`),
    0,
  )
}

function findBacklinks(reader: Reader, workspace: number, note: NoteHead): NoteHead[] {
  const keys = namesOf(note).flatMap((name) => keysOfName(reader, workspace, name))
  const targets = [...new Set(keys)].filter((key) => resolveTarget(reader, workspace, key)?.pk === note.pk)
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
