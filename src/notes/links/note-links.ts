import type { Static } from '@sinclair/typebox'
import { read } from '../../kernel/operation.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { scanOf } from '../../lib/scan.ts'
import { fold } from '../../lib/text.ts'
import { bracketed, isOwnHeading, linkOf, namesIn, parseLinks, targetKey } from '../../lib/wiki-links.ts'
import { snippetAround } from '../../search/highlighter.ts'
import type { Reader } from '../../storage/reader.ts'
import type { LinksQuery } from '../schema.ts'
import {
  aliasesOf,
  contentOf,
  getNoteSummary,
  loadTitles,
  type NoteSummary,
  type NoteTitle,
} from '../store.ts'
import { linkedTexts, propertyLinks } from './property-links.ts'
import { resolveTargets } from './resolve-target.ts'

/**
 * The outgoing links, every occurrence in body order and then in the order of the properties, and the backlinks, newest
 * edit first. With `context`, each backlink has its surrounding text. Call `refreshLinks` first.
 */
export const readLinks = read({
  name: 'notes.links',
  covers: 'notes',
  run: (reader, caller, { id, context = false }: { id: string } & Static<typeof LinksQuery>) => {
    const { workspacePk: workspace } = caller
    const note = getNoteSummary(reader, caller, id)
    const targets = targetsOf(reader, workspace, note)
    const backlinks = linkingNotes(reader, workspace, targets)
    const outgoing = outgoingLinks(reader, workspace, { ...note, content: contentOf(reader, note.pk) })
    return {
      outgoing: outgoing.map(({ text, note }) => ({
        text,
        note: note ? { id: note.id, title: note.title } : null,
      })),
      backlinks: backlinks.map((from) => ({
        id: from.id,
        title: from.title,
        updated_at: isoTimestamp(from.updatedAt),
        ...(context && { context: contextOf(reader, from.pk, new Set(targets)) }),
      })),
    }
  },
})

/** The links of a note, every occurrence in order, with the notes to which they resolve now. */
export function outgoingLinks(
  reader: Reader,
  workspace: number,
  from: NoteTitle & { readonly pk: number; readonly content: string },
): { text: string; note: NoteTitle | undefined }[] {
  const all = [...parseLinks(from.content), ...propertyLinks(reader, from.pk)]
  const links = all.map((link) => ({ ...link, key: targetKey(link.target) }))
  const pks = resolveTargets(reader, workspace, [...new Set(links.map(({ key }) => key))])
  const titles = loadTitles(reader, [...new Set(pks.values())])
  return links.map(({ target, label, key }) => {
    const note = titles.get(pks.get(key) ?? 0) ?? (isOwnHeading(target) ? from : undefined)
    return { text: label ?? shownTarget(target, note), note }
  })
}

/** The displayed target of a link without a label; a link by id shows the title of the note. */
function shownTarget(target: string, note: NoteTitle | undefined): string {
  const name = namesIn(target).find((one) => fold(one).trim() === note?.id)
  return note && name !== undefined ? note.title + target.slice(name.length) : target
}

/** The text around the first link of a note with one of these keys, in its body or else in a property. */
function contextOf(reader: Reader, note: number, keys: ReadonlySet<string>): string {
  const inBody = contextIn(contentOf(reader, note), keys)
  if (inBody !== undefined) return inBody
  for (const text of linkedTexts(reader, note)) {
    const found = contextIn(text, keys)
    if (found !== undefined) return found
  }
  return ''
}

function contextIn(content: string, keys: ReadonlySet<string>): string | undefined {
  for (const { text, start } of bracketed(content)) {
    const link = linkOf(text)
    if (!link || !keys.has(targetKey(link.target))) continue
    const place = { start: start - '[['.length, end: start + text.length + ']]'.length }
    return snippetAround(content, [place])
  }
  return undefined
}

/** The names by which links may reference a note, as keys without surrounding blanks. */
const namesOf = (note: NoteSummary): string[] =>
  [note.id, note.title, ...aliasesOf(note)].map((name) => fold(name).trim())

/** Matches this name with or without surrounding blanks: `name`, or `name`, a line break and more. */
const rangeOf = (name: string) => [name, `${name}\v`] as const

/**
 * The keys of all links whose target is this name, with or without surrounding blanks, or possibly this name and a
 * heading.
 */
export function keysOfName({ sql }: Reader, workspace: number, name: string): string[] {
  const folded = fold(name).trim()
  const between = (from: string, to: string, more = '') =>
    sql.column<string>(
      `SELECT DISTINCT target FROM note_links
       WHERE ${scanOf('note').text} AND workspace = ? AND target >= ? AND target < ?${more}`,
      workspace,
      from,
      to,
    )
  const isHeading = (key: string) => key.slice(folded.length).trimStart().startsWith('#')
  return [
    ...between(...rangeOf(folded)),
    ...between(`${folded}#`, `${folded}$`),
    ...between(`${folded} `, `${folded}!`, " AND instr(target, '#') > 0").filter(isHeading),
  ]
}

/** The keys of all links to a note. */
function targetsOf(reader: Reader, workspace: number, note: NoteSummary): string[] {
  const keys = namesOf(note).flatMap((name) => keysOfName(reader, workspace, name))
  const resolved = resolveTargets(reader, workspace, [...new Set(keys)])
  return [...resolved].flatMap(([key, pk]) => (pk === note.pk ? [key] : []))
}

const linkingNotes = ({ sql }: Reader, workspace: number, targets: readonly string[]): NoteSummary[] =>
  sql.all(
    `SELECT DISTINCT n.pk, n.id, n.title, n.alias, n.aliases, n.created_at AS createdAt, n.updated_at AS updatedAt
     FROM json_each(?) AS wanted
     CROSS JOIN note_links l ON l.workspace = ? AND l.target = wanted.value
     CROSS JOIN notes n ON n.pk = l.note AND n.deleted_at IS NULL
     WHERE ${scanOf('l.note').text}
     ORDER BY n.updated_at DESC, n.id DESC`,
    JSON.stringify(targets),
    workspace,
  )
