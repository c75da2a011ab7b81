import { type Static, Type } from '@sinclair/typebox'
import { parseTree } from '../../../filter/tree/parse.ts'
import { choice, flag, integer, strict } from '../../../http/schema/types.ts'
import type { Caller } from '../../../kernel/caller.ts'
import type { Snapshot } from '../../../kernel/operation.ts'
import { isId } from '../../../lib/ids.ts'
import { invalid } from '../../../lib/refusal.ts'
import { linesOutsideCode } from '../../../lib/wiki-links.ts'
import { refreshLinks } from '../../../notes/links/indexing.ts'
import { readLinks } from '../../../notes/links/note-links.ts'
import { listNotes } from '../../../notes/query/list.ts'
import {
  NEWEST_EDIT_FIRST,
  type NoteSort,
  notesByTree,
  usualDirection,
} from '../../../notes/query/tree-query.ts'
import { MAX_PAGE, type Note } from '../../../notes/schema.ts'
import { findNote, getNote, presentNote } from '../../../notes/store.ts'
import { filterOf, listViewNotes, sortOf } from '../../../notes/views/service.ts'
import { readProperties } from '../../../notes/writing/properties.ts'
import type { Reader } from '../../../storage/reader.ts'
import { getViewNamed, noteIdOf } from '../names.ts'
import { direction, limit, list, name, object, offset, optional, output, page, values } from '../schema.ts'
import {
  cutFor,
  fits,
  fitted,
  MAX_TOKENS,
  shorten,
  shortenAll,
  shortenEach,
  shortenValues,
} from '../text/fit.ts'
import { count, given, inline, pageLine } from '../text/markdown.ts'
import { type Answer, callerFor, noteLink, parsedBody, readTool } from '../tool.ts'

/** A note in a list, as the API shows it without its body. */
export type NoteHead = Omit<Static<typeof Note>, 'content'> & { readonly snippet?: string }

export interface NotePage {
  readonly notes: readonly NoteHead[]
  readonly total: number
}

export const noteLine = ({
  id,
  title,
  tags,
  updated_at,
}: Pick<NoteHead, 'id' | 'title' | 'tags' | 'updated_at'>): string =>
  `- ${inline(title)} [${id}]${tags.map((tag) => ` #${tag.replaceAll(' ', '_')}`).join('')} ${updated_at}`

const USUAL_NOTES = 20

const SORTS = ['created_at', 'updated_at', 'title'] as const

const ListInput = strict({
  view: optional(name('id or name')),
  filter: optional(
    values(
      '{type:"tags",op:"has_all|has_any|has_none",tag_ids} | {type:"property",def_id,op,value} | {type:"field",field:"title|created_at|updated_at",op,value} | {type:"group",match:"all|any|none",children}; ids from describe; date values YYYY-MM-DD or {relative:{n,unit}}',
    ),
  ),
  sort: optional(choice(SORTS)),
  direction: direction(),
  limit: limit(USUAL_NOTES, MAX_PAGE),
  offset: offset(),
})

function findNotes(snapshot: Snapshot, caller: Caller, input: Static<typeof ListInput>): NotePage {
  const { view, filter, sort: field, direction: way, limit: most = USUAL_NOTES, offset: skipped = 0 } = input
  if (view !== undefined && filter !== undefined) throw invalid('Give "view" or "filter", not both.')
  const query = { limit: most, offset: skipped, content: false }
  const named = view === undefined ? undefined : getViewNamed(snapshot, caller, view)
  if (named && field === undefined && way === undefined)
    return parsedBody(listViewNotes.run(snapshot, caller, { id: named.id, ...query }))
  if (!named && filter === undefined)
    return parsedBody(listNotes.run(snapshot, caller, { ...query, sort: field, direction: way }))
  const sort: NoteSort =
    field === undefined
      ? { ...(named ? sortOf(named) : NEWEST_EDIT_FIRST), ...(way && { direction: way }) }
      : { field, direction: way ?? usualDirection(field) }
  const tree = named ? filterOf(named) : parseTree(filter, 'filter')
  const page = { limit: most, offset: skipped }
  return parsedBody(
    notesByTree(snapshot, caller.workspacePk, { filter: tree, sort, page, shown: { content: false } }),
  )
}

export const listNotesTool = readTool({
  name: 'list_notes',
  covers: 'notes',
  description: 'Notes without text: all (newest edit first), of a view, or by a filter tree.',
  input: ListInput,
  output: page('notes'),
  run: (snapshot, caller, input) => {
    const { notes, total } = findNotes(snapshot, caller, input)
    const { offset: skipped = 0 } = input
    return fitted(notes, (items, cut) => {
      const shown = shortenEach(items, cut)
      const heading = pageLine('note', { offset: skipped, shown: shown.length, total })
      return {
        text: [heading, ...shown.map(noteLine)].join('\n'),
        data: { notes: shown, total, has_more: shown.length > 0 && skipped + shown.length < total },
        links: shown.map(noteLink),
      }
    })
  },
})

const USUAL_LINES = 300
/** Longer lines of a note are split, and each part counts as a line. In characters. */
const LONGEST_LINE = 1_000

/** The lines of a body, each with its line break except the last; very long lines are split. */
function linesOf(content: string): string[] {
  const lines: string[] = []
  for (let start = 0; start < content.length; ) {
    const found = content.indexOf('\n', start)
    const lineEnd = found === -1 ? content.length : found + 1
    let end = lineEnd
    if (lineEnd - start > LONGEST_LINE) {
      end = start + LONGEST_LINE
      // Avoid splitting a surrogate pair.
      if (/[\ud800-\udbff]/.test(content[end - 1] ?? '')) end -= 1
    }
    lines.push(content.slice(start, end))
    start = end
  }
  return lines
}

interface Heading {
  readonly line: number
  readonly heading: string
}

/** More headings than this never fit into an answer. */
const MOST_HEADINGS = 1_000

/** The headings of a body from a given line on, with their line numbers, up to a limit. */
function outlineOf(content: string, lines: readonly string[], from: number): Heading[] {
  const found: Heading[] = []
  let number = 1
  let end = lines[0]?.length ?? 0
  for (const { text, start } of linesOutsideCode(content, '#')) {
    for (; end <= start; number++) end += lines[number]?.length ?? Number.POSITIVE_INFINITY
    if (number < from) continue
    const [heading] = /^#{1,6}[ \t]+\S.*/.exec(text.slice(0, LONGEST_LINE)) ?? []
    if (heading !== undefined) found.push({ line: number, heading: heading.trimEnd() })
    if (found.length === MOST_HEADINGS) break
  }
  return found
}

interface Links {
  readonly outgoing: readonly { text: string; note: { id: string; title: string } | null }[]
  readonly backlinks: readonly { id: string; title: string }[]
}

function linkLines({ outgoing, backlinks }: Links): string[] {
  const to = outgoing.map(({ text, note }) =>
    note ? `${inline(text)} [${note.id}]` : `${inline(text)} (no such note)`,
  )
  const from = backlinks.map(({ id, title }) => `${inline(title)} [${id}]`)
  return [`links to: ${to.join('; ') || 'none'}`, `linked from: ${from.join('; ') || 'none'}`]
}

/** The maximum share of an answer for the description of a note. */
const TOKENS_OF_HEAD = 0.4 * MAX_TOKENS
const MANY_LINKS = 60

/** The first links; fewer when values must be short. */
function shortenLinks({ outgoing, backlinks }: Links, cut: number): Links {
  const most = Math.min(MANY_LINKS, Math.max(5, cut))
  return {
    outgoing: shortenEach(outgoing.slice(0, most), cut),
    backlinks: shortenEach(backlinks.slice(0, most), cut),
  }
}

export const readNoteTool = readTool({
  name: 'read_note',
  covers: 'notes',
  description:
    'Text of a note from a line on, with tags, properties and updated_at. outline: headings with line numbers instead; links: links and backlinks, too.',
  input: strict({
    note: name('id, title or alias'),
    from_line: optional(integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    max_lines: optional(integer({ minimum: 1, maximum: 10_000, description: `${USUAL_LINES} unless given` })),
    outline: optional(flag()),
    links: optional(flag()),
  }),
  output: output({
    note: object(),
    properties: object(),
    content: optional(Type.String()),
    from_line: optional(Type.Integer()),
    total_lines: Type.Integer(),
    has_more: Type.Boolean(),
    outline: optional(list()),
    outgoing: optional(list()),
    backlinks: optional(list()),
  }),
  prepare: async (ctx, caller, { links = false }) => {
    if (links) await refreshLinks(ctx, callerFor(caller, 'notes'))
  },
  run: (snapshot, caller, input) => {
    const found = foundNote(snapshot, caller, input.note)
    const links = input.links ? readLinks.run(snapshot, caller, { id: found.note.id }) : undefined
    const lines = linesOf(found.note.content)
    const about = shortenAbout({ ...found, links }, lines.length)
    const from = input.from_line ?? 1
    if (input.outline) return outlineAnswer(about, outlineOf(found.note.content, lines, from), lines.length)
    return pageAnswer(about, lines, from, input.max_lines ?? USUAL_LINES)
  },
})

interface Found {
  readonly note: NoteHead & { readonly content: string }
  readonly properties: Record<string, unknown>
}

function foundNote(reader: Reader, caller: Caller, named: string): Found {
  const { workspacePk } = caller
  // An id takes precedence over an alias and a title.
  const direct = isId(named) ? findNote(reader, workspacePk, named) : undefined
  const row = direct ?? getNote(reader, caller, noteIdOf(reader, caller, named))
  return { note: presentNote(row), properties: readProperties(reader, row.pk) }
}

/** The description of a note, which is everything except its text. */
interface About {
  readonly note: NoteHead
  readonly properties: Record<string, unknown>
  readonly links: Links | undefined
}

/** The description with the longest values that fit beside the text. */
function shortenAbout({ note, ...others }: About & Found, totalLines: number): About {
  const { content: _, ...head } = note
  const written = (cut: number): About => ({
    note: shortenAll(head, cut) as NoteHead,
    properties: shortenValues(others.properties, cut),
    links: others.links && shortenLinks(others.links, cut),
  })
  return written(
    cutFor(TOKENS_OF_HEAD, (cut) => writePage(written(cut), { lines: [], from: 1, shown: 0 }, totalLines)),
  )
}

function headLines({ note, properties, links }: About, totalLines: number): string[] {
  const set = Object.entries(properties).map(([key, value]) => `${key}: ${inline(value, 300)}`)
  return given(
    `# ${inline(note.title)} [${note.id}]`,
    `updated_at: ${note.updated_at}; ${count(totalLines, 'line')}`,
    note.alias !== null && `alias: ${note.alias}`,
    note.aliases !== undefined && note.aliases.length > 0 && `further aliases: ${note.aliases.join(', ')}`,
    note.tags.length > 0 && `tags: ${note.tags.join(', ')}`,
    set,
    links && linkLines(links),
  )
}

function outlineAnswer(about: About, all: readonly Heading[], totalLines: number): Answer {
  return fitted(all, (headings, cut) => {
    const outline = headings.map(({ line, heading }) => ({ line, heading: shorten(heading, cut) }))
    const hasMore = headings.length < all.length || headings.length === MOST_HEADINGS
    return {
      text: given(
        headLines(about, totalLines),
        outline.map(({ line, heading }) => `${line}: ${inline(heading)}`),
        headings.length === 0 && 'No headings.',
        hasMore && `go on with from_line ${(headings.at(-1)?.line ?? 0) + 1}`,
      ).join('\n'),
      data: {
        note: about.note,
        properties: about.properties,
        total_lines: totalLines,
        has_more: hasMore,
        outline,
        ...about.links,
      },
      links: [noteLink(about.note)],
    }
  })
}

/** As many of the lines as fit, at least one. */
function pageAnswer(about: About, lines: readonly string[], from: number, most: number): Answer {
  let shown = Math.min(most, Math.max(0, lines.length - from + 1))
  for (;;) {
    const answer = writePage(about, { lines, from, shown })
    if (shown <= 1 || fits(answer)) return answer
    shown = Math.floor(shown * 0.9)
  }
}

interface LinePage {
  readonly lines: readonly string[]
  readonly from: number
  readonly shown: number
}

function writePage(
  about: About,
  { lines, from, shown }: LinePage,
  totalLines: number = lines.length,
): Answer {
  const content = lines.slice(from - 1, from - 1 + shown).join('')
  const next = from + shown
  const hasMore = shown > 0 && next <= lines.length
  const part = shown === 0 ? 'no lines here' : `lines ${from}–${next - 1}`
  const isWhole = from === 1 && !hasMore
  return {
    text: given(
      headLines(about, totalLines),
      !isWhole && `${part}${hasMore ? `; go on with from_line ${next}` : ''}`,
      '---',
      content,
    ).join('\n'),
    data: {
      note: about.note,
      properties: about.properties,
      content,
      from_line: from,
      total_lines: totalLines,
      has_more: hasMore,
      ...about.links,
    },
    links: [noteLink(about.note)],
  }
}
