import { type AppContext, type Caller, type InWorkspace, placeOf } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { WorkerQuery } from '../../db/worker/client.ts'
import type { JsonBody } from '../../http/responses.ts'
import { fold } from '../../lib/text.ts'
import { presentLinks } from '../present.ts'
import { getNoteSummary, loadTitles, type NoteLinks, type NoteSummary } from '../store.ts'
import { refreshLinks } from './indexing.ts'
import { resolveTargets } from './resolve-target.ts'
import { parseLinks, targetKey, targetText } from './syntax.ts'

/** The outgoing links in the order of the body, each occurrence, and the backlinks, newest edit first. */
export async function getLinks(ctx: AppContext, caller: Caller, id: string): Promise<JsonBody> {
  await refreshLinks(ctx, caller)
  return ctx.worker.run(linksQuery, { ...placeOf(caller), id }, caller)
}

interface LinksInput extends InWorkspace {
  readonly id: string
}

export const linksQuery: WorkerQuery<LinksInput, JsonBody> = {
  name: 'notes.links',
  run: (reader, input) => {
    const { workspacePk: workspace, id } = input
    const note = getNoteSummary(reader, input, id)
    const content = reader.sql.scalar<string>('SELECT content FROM note_bodies WHERE note = ?', note.pk)
    const links = {
      outgoing: outgoingLinks(reader, workspace, content),
      backlinks: backlinks(reader, workspace, note),
    }
    return JSON.stringify(presentLinks(links))
  },
}

/** The links of a body in order, each occurrence, with the notes that they mean now. */
export function outgoingLinks(reader: Reader, workspace: number, content: string): NoteLinks['outgoing'] {
  const links = parseLinks(content).map((link) => ({ ...link, key: targetKey(link.target) }))
  const pks = resolveTargets(reader, workspace, [...new Set(links.map(({ key }) => key))])
  const titles = loadTitles(reader, [...new Set(pks.values())])
  return links.map(({ target, label, key }) => {
    const note = titles.get(pks.get(key) ?? 0)
    return { text: label ?? (note?.id === targetText(key) ? note.title : target), note }
  })
}

/** The names by which links may mean a note, as keys without blanks around them. */
const namesOf = ({ id, alias, title }: NoteSummary): string[] =>
  [id, alias, title].filter((name) => name !== null).map((name) => fold(name).trim())

/** The targets that are this name, with or without blanks around it: `name`, or `name`, a line break and more. */
const rangeOf = (name: string) => [name, `${name}\v`] as const

/** The keys of all links whose target is this name, with or without blanks around it. */
export const keysOfName = ({ sql }: Reader, workspace: number, name: string): string[] =>
  sql.column(
    `SELECT DISTINCT target FROM note_links
     WHERE ${sql.stopCondition('note').text} AND workspace = ? AND target >= ? AND target < ?`,
    workspace,
    ...rangeOf(fold(name).trim()),
  )

function backlinks(reader: Reader, workspace: number, note: NoteSummary): NoteSummary[] {
  const keys = namesOf(note).flatMap((name) => keysOfName(reader, workspace, name))
  const targets = [...resolveTargets(reader, workspace, keys)].filter(([, pk]) => pk === note.pk)
  return reader.sql.all(
    `SELECT DISTINCT n.pk, n.id, n.title, n.alias, n.created_at AS createdAt, n.updated_at AS updatedAt
     FROM json_each(?) AS wanted
     CROSS JOIN note_links l ON l.workspace = ? AND l.target = wanted.value
     CROSS JOIN notes n ON n.pk = l.note AND n.deleted_at IS NULL
     WHERE ${reader.sql.stopCondition('l.note').text}
     ORDER BY n.updated_at DESC, n.id DESC`,
    JSON.stringify(targets.map(([key]) => key)),
    workspace,
  )
}
