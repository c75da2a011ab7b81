import type { AppContext, Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { QueryPlan, WorkerQuery } from '../../db/worker/client.ts'
import { encodedJson, type JsonBody } from '../../http/responses.ts'
import { codePointLength, fold } from '../../lib/text.ts'
import { presentLinks } from '../present.ts'
import { getNoteSummary, loadTitles, type NoteSummary, type NoteTitle } from '../store.ts'
import { resolveTargets, targetKey, trimmedTarget } from './resolve.ts'
import { parseFileTargets, parseLinks } from './syntax.ts'

/** A title has at most 500 characters, and folding makes up to three of one. A longer target never resolves. */
const MAX_FOLDED = 1_500

/**
 * The keys of a body's links as `note_links` stores them: each once, without those that are too long to resolve. The key
 * of a link to a file is its target, `file:<id>`.
 */
export function linkTargets(content: string): string[] {
  const keys = new Set(parseLinks(content).map(({ target }) => targetKey(target)))
  for (const target of parseFileTargets(content)) keys.add(target)
  return [...keys].filter((key) => codePointLength(trimmedTarget(key)) <= MAX_FOLDED)
}

/** Updates `note_links` to the links of a body; only differences are written. */
export function indexLinks(
  { sql }: Reader,
  workspace: number,
  note: number,
  content: string,
  isNew = false,
): void {
  const missing = new Set(linkTargets(content))
  const stored = isNew ? [] : sql.column<string>('SELECT target FROM note_links WHERE note = ?', note)
  for (const target of stored) {
    if (missing.delete(target)) continue
    sql.run('DELETE FROM note_links WHERE workspace = ? AND target = ? AND note = ?', workspace, target, note)
  }
  for (const target of missing) {
    sql.run('INSERT INTO note_links (workspace, target, note) VALUES (?, ?, ?)', workspace, target, note)
  }
}

export interface NoteLinks {
  /** `note` is undefined when the link is unresolved. */
  outgoing: { text: string; note: NoteTitle | undefined }[]
  backlinks: NoteSummary[]
}

interface LinksInput {
  readonly workspacePk: number
  readonly id: string
}

interface LinksPlan extends QueryPlan {
  readonly workspace: number
  readonly note: NoteSummary
}

/** Resolving a target looks at ids, aliases and titles. */
const ROWS_PER_TARGET = 4
/** Finding links in so many bytes of a body takes as long as looking at a row. */
const BYTES_PER_ROW = 20
/** A short body costs nothing extra. */
const FREE_BYTES = 65_536
/** Counting stops here, far above the number of rows from which a read runs in the worker. */
const COUNT_LIMIT = 20_000

/** The outgoing links in the order of the body, each occurrence, and the backlinks, newest edit first. */
export const getLinks = (ctx: AppContext, caller: Caller, id: string): Promise<JsonBody> =>
  ctx.worker.run(linksRead, { workspacePk: caller.workspacePk, id }, caller)

export const linksRead: WorkerQuery<LinksInput, LinksPlan, JsonBody> = {
  name: 'notes.links',
  plan: (reader, input) => {
    const { workspacePk: workspace, id } = input
    const note = getNoteSummary(reader, input, id)
    const { sql } = reader
    const targets = sql.scalar<number>('SELECT count(*) FROM note_links WHERE note = ?', note.pk)
    const bytes = sql.scalar<number>('SELECT octet_length(content) FROM note_bodies WHERE note = ?', note.pk)
    const costOfBody = Math.max(0, bytes - FREE_BYTES) / BYTES_PER_ROW
    const cost = targets * ROWS_PER_TARGET + countLinksTo(reader, workspace, note) + costOfBody
    return { workspace, note, cost }
  },
  run: (reader, { workspace, note }) => {
    const content = reader.sql.scalar<string>('SELECT content FROM note_bodies WHERE note = ?', note.pk)
    const links = {
      outgoing: outgoingLinks(reader, workspace, content),
      backlinks: backlinks(reader, workspace, note),
    }
    return encodedJson(presentLinks(links))
  },
}

function outgoingLinks(reader: Reader, workspace: number, content: string): NoteLinks['outgoing'] {
  const links = parseLinks(content).map((link) => ({ ...link, key: targetKey(link.target) }))
  const pks = resolveTargets(reader, workspace, [...new Set(links.map(({ key }) => key))])
  const titles = loadTitles(reader, [...new Set(pks.values())])
  return links.map(({ target, label, key }) => {
    const note = titles.get(pks.get(key) ?? 0)
    return { text: label ?? (note?.id === trimmedTarget(key) ? note.title : target), note }
  })
}

/** The names by which links may mean a note, as keys without blanks around them. */
const namesOf = ({ id, alias, title }: NoteSummary): string[] =>
  [id, alias, title].filter((name) => name !== null).map((name) => fold(name).trim())

/** Links whose target is this name, with or without blanks around it: `name`, or `name`, a line break and more. */
const WITH_NAME = 'FROM note_links WHERE workspace = ? AND target >= ? AND target < ?'
const rangeOf = (name: string) => [name, `${name}\v`] as const

function countLinksTo({ sql }: Reader, workspace: number, note: NoteSummary): number {
  const text = `SELECT count(*) FROM (SELECT 1 ${WITH_NAME} LIMIT ${COUNT_LIMIT})`
  return namesOf(note).reduce(
    (count, name) => count + sql.scalar<number>(text, workspace, ...rangeOf(name)),
    0,
  )
}

function backlinks(reader: Reader, workspace: number, note: NoteSummary): NoteSummary[] {
  const keys = namesOf(note).flatMap((name) =>
    reader.sql.column<string>(`SELECT DISTINCT target ${WITH_NAME}`, workspace, ...rangeOf(name)),
  )
  const targets = [...resolveTargets(reader, workspace, keys)].filter(([, pk]) => pk === note.pk)
  return reader.sql.all(
    `SELECT DISTINCT n.pk, n.id, n.title, n.alias, n.created_at AS createdAt, n.updated_at AS updatedAt
     FROM json_each(?) AS wanted
     CROSS JOIN note_links l ON l.workspace = ? AND l.target = wanted.value
     CROSS JOIN notes n ON n.pk = l.note AND n.deleted_at IS NULL
     ORDER BY n.updated_at DESC, n.id DESC`,
    JSON.stringify(targets.map(([key]) => key)),
    workspace,
  )
}
