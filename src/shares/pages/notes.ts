import { type AppContext, type Caller, type InWorkspace, placeFor, placeOf } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { WorkerQuery } from '../../db/worker/client.ts'
import { encoded, type JsonBody } from '../../http/responses.ts'
import { memoize } from '../../lib/bounded-cache.ts'
import { isoTimestamp, utcDay } from '../../lib/dates.ts'
import { type Html, html } from '../../lib/html.ts'
import { filesNamedIn } from '../../notes/links/file-links.ts'
import { fileTarget } from '../../notes/links/syntax.ts'
import { evaluationOf, matchTree } from '../../notes/query/evaluate.ts'
import { checkedTree, treeQuery } from '../../notes/query/tree-query.ts'
import { contentOf, getNote, type NoteRow } from '../../notes/store.ts'
import { notesWithLinks } from '../../notes/writing/replace-content.ts'
import { fail, notFound } from '../../refusal.ts'
import { filterOf, sortOf, viewKind } from '../../views/service.ts'
import type { Visit, VisitedShare } from '../visits.ts'
import { renderMarkdown } from './markdown.ts'
import { pageResponse, pageText, shownText, textResponse } from './page.ts'

/** Whom a visit reads as: all visitors of one share take turns with everybody else. */
export const visitorOf = ({ caller, share }: Visit): Caller => ({ ...caller, userId: share.id })

/** What a share shows of the notes that its caller may read. */
interface SharedNotes extends Pick<VisitedShare, 'kind' | 'target'> {
  readonly caller: InWorkspace
  readonly today: string
}

const sharedNotes = (ctx: AppContext, { caller, share: { kind, target } }: Visit): SharedNotes => ({
  caller: placeOf(caller),
  kind,
  target,
  today: utcDay(ctx.clock.now()),
})

/** The note of a share, or one that is in its view now. */
function sharedNote(reader: Reader, shared: SharedNotes, id: string): NoteRow {
  const { kind, target, caller } = shared
  if (kind === 'note' && id !== target) throw notFound('note')
  const note = getNote(reader, placeFor(caller, 'notes'), id)
  if (kind === 'view' && !isAnyInView(reader, shared, [note.pk])) throw notFound('note')
  return note
}

function isAnyInView(
  reader: Reader,
  { caller, target, today }: SharedNotes,
  notes: readonly number[],
): boolean {
  const { workspacePk } = placeFor(caller, 'notes')
  const view = viewKind.findById(reader, workspacePk, target) ?? fail(notFound('view'))
  const tree = checkedTree(reader, workspacePk, filterOf(view), 'filter')
  return matchTree(evaluationOf(reader, workspacePk, today), tree, notes).total > 0
}

interface NoteInput extends SharedNotes {
  readonly base: string
  readonly id: string
}

function shownTitle(title: string): string {
  const shown = shownText(title)
  return shown.trim() === '' ? 'Untitled' : shown
}

const shownTime = (instant: number): string => `${isoTimestamp(instant).slice(0, 16).replace('T', ' ')} UTC`

export const noteQuery: WorkerQuery<NoteInput, JsonBody> = {
  name: 'shares.note',
  isLong: true,
  run: (reader, { base, id, ...shared }) => {
    const { title, content, updatedAt } = sharedNote(reader, shared, id)
    const isOfView = shared.kind === 'view'
    // Of a view, the note that names the file is in the address: the file is shown as long as that note is.
    const within = isOfView ? `?note=${id}` : ''
    const shown = shownTitle(title)
    return encoded(
      pageText({
        title: shown,
        main: html`${isOfView && html`<p><a href="${base}">All notes</a></p>`}
<h1 dir="auto">${shown}</h1>
<p class="by">Changed ${shownTime(updatedAt)}</p>
${bodyOf(JSON.stringify({ content, title: shown, base, within }))}`,
      }),
    )
  },
}

/** A page that is sent around is asked for often, and a long text takes long to take apart. */
const MAX_BODIES = 8

/** The body of a page, by all that it is made of. */
const bodyOf = memoize((made: string): Html => {
  const { content, title, base, within } = JSON.parse(made)
  return renderMarkdown(content, title, (file) => `${base}/files/${file.toLowerCase()}${within}`)
}, MAX_BODIES)

export async function notePage(ctx: AppContext, visit: Visit, id: string): Promise<Response> {
  const input = { ...sharedNotes(ctx, visit), base: visit.base, id }
  return textResponse(await ctx.worker.run(noteQuery, input, visitorOf(visit)))
}

interface FileInput extends SharedNotes {
  /** The note that names it; without one, any note of a view that links to it. */
  readonly note: string | null
  readonly file: string
}

/** Whether a note that is shown names a file now. */
export const fileNamedQuery: WorkerQuery<FileInput, boolean> = {
  name: 'shares.fileNamed',
  isLong: true,
  run: (reader, { note, file, ...shared }) => {
    if (note !== null) return filesNamedIn(sharedNote(reader, shared, note).content).has(file)
    const { workspacePk } = placeFor(shared.caller, 'notes')
    const linking = notesWithLinks(reader, workspacePk, [fileTarget(file)])
    const isNaming = (pk: number) => filesNamedIn(contentOf(reader, pk)).has(file)
    return isAnyInView(reader, shared, linking) && isAnyInView(reader, shared, linking.filter(isNaming))
  },
}

/** Whether the share shows a file: its own note names it, or one that is in its view. */
export function showsFile(
  ctx: AppContext,
  visit: Visit,
  file: string,
  note: string | null,
): Promise<boolean> {
  const shared = sharedNotes(ctx, visit)
  const input = { ...shared, note: shared.kind === 'note' ? shared.target : note, file }
  return ctx.worker.run(fileNamedQuery, input, visitorOf(visit))
}

const PAGE_SIZE = 50

interface FoundNotes {
  readonly notes: readonly { readonly id: string; readonly title: string; readonly updated_at: string }[]
  readonly total: number
}

/** The page of a view of notes: what is in it now. */
export async function viewPage(ctx: AppContext, visit: Visit, page: number): Promise<Response> {
  const { share, base } = visit
  const { workspacePk: workspace } = placeFor(visit.caller, 'notes')
  const view = viewKind.findById(ctx.db, workspace, share.target) ?? fail(notFound('view'))
  const found = await ctx.worker.run(
    treeQuery,
    {
      workspace,
      filter: filterOf(view),
      sort: sortOf(view),
      page: { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE },
      shown: { content: false },
      today: utcDay(ctx.clock.now()),
    },
    visitorOf(visit),
  )
  const { notes, total }: FoundNotes = JSON.parse(
    typeof found === 'string' ? found : new TextDecoder().decode(found),
  )
  const items = notes.map(
    ({ id, title, updated_at }) =>
      html`<li><a href="${base}/${id}" dir="auto">${shownTitle(title)}</a> <time datetime="${updated_at}">${updated_at.slice(0, 10)}</time></li>`,
  )
  const name = shownText(share.name ?? view.name)
  return pageResponse({
    title: name,
    main: html`<h1 dir="auto">${name}</h1>
<p class="by">${total === 1 ? '1 note' : `${total} notes`}</p>
${total === 0 ? html`<p>No note is in this view at present.</p>` : html`<ul class="list">${items}</ul>`}
${pageLinks(page, Math.ceil(total / PAGE_SIZE), (other) => `${base}?page=${other}`)}`,
  })
}

/** Links to the pages before and after this one. */
export const pageLinks = (page: number, pages: number, address: (page: number) => string) =>
  pages > 1 &&
  html`<nav class="pages" aria-label="Pages">${page > 1 && html`<a href="${address(page - 1)}" rel="prev">Previous</a>`}
<span>Page ${page} of ${pages}</span>
${page < pages && html`<a href="${address(page + 1)}" rel="next">Next</a>`}</nav>`
