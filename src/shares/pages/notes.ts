import { type AppContext, type Caller, type InWorkspace, placeFor } from '../../context.ts'
import { long, read, type Snapshot } from '../../kernel/operation.ts'
import { memoize } from '../../lib/bounded-cache.ts'
import { isoTimestamp, utcDay } from '../../lib/dates.ts'
import { type Html, html } from '../../lib/html.ts'
import { fail, notFound } from '../../lib/refusal.ts'
import { fileTarget } from '../../lib/wiki-links.ts'
import { filesNamedIn } from '../../notes/links/file-links.ts'
import { evaluationOf, matchTree } from '../../notes/query/evaluate.ts'
import { checkedTree, notesByTree } from '../../notes/query/tree-query.ts'
import { contentOf, getNote, type NoteRow } from '../../notes/store.ts'
import { filterOf, sortOf, type ViewRow, viewKind } from '../../notes/views/service.ts'
import { notesWithLinks } from '../../notes/writing/replace-content.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Visit, VisitedShare } from '../visits.ts'
import { renderMarkdown } from './markdown.ts'
import { pageText, shownText, textResponse } from './page.ts'

/** The caller of a visit: the visitors of one share are scheduled together, fairly with other callers. */
export const visitorOf = ({ caller, share }: Visit): Caller => ({ ...caller, userId: share.id })

/** The note or the view that a share shows. */
type SharedNotes = Pick<VisitedShare, 'kind' | 'target'>

const sharedNotes = ({ share: { kind, target } }: Visit): SharedNotes => ({ kind, target })

/** The note of a share, or a note that is currently in its view. */
function sharedNote(snapshot: Snapshot, caller: InWorkspace, shared: SharedNotes, id: string): NoteRow {
  const { kind, target } = shared
  if (kind === 'note' && id !== target) throw notFound('note')
  const note = getNote(snapshot, placeFor(caller, 'notes'), id)
  if (kind === 'view' && !isAnyInView(snapshot, caller, target, [note.pk])) throw notFound('note')
  return note
}

function getSharedView(reader: Reader, caller: InWorkspace, id: string): ViewRow {
  return viewKind.findById(reader, placeFor(caller, 'notes').workspacePk, id) ?? fail(notFound('view'))
}

function isAnyInView(
  snapshot: Snapshot,
  caller: InWorkspace,
  target: string,
  notes: readonly number[],
): boolean {
  const { workspacePk } = placeFor(caller, 'notes')
  const tree = checkedTree(snapshot, workspacePk, filterOf(getSharedView(snapshot, caller, target)), 'filter')
  return matchTree(evaluationOf(snapshot, workspacePk, utcDay(snapshot.now)), tree, notes).total > 0
}

function shownTitle(title: string): string {
  const shown = shownText(title)
  return shown.trim() === '' ? 'Untitled' : shown
}

const shownTime = (instant: number): string => `${isoTimestamp(instant).slice(0, 16).replace('T', ' ')} UTC`

interface NoteInput extends SharedNotes {
  readonly base: string
  readonly id: string
}

export const sharedNotePage = long(
  read({
    name: 'shares.note',
    covers: 'several',
    run: (snapshot, caller, { base, id, ...shared }: NoteInput) => {
      const { title, content, updatedAt } = sharedNote(snapshot, caller, shared, id)
      const isOfView = shared.kind === 'view'
      // For views, the address names the note that names the file. The file is shown as long as that note is.
      const within = isOfView ? `?note=${id}` : ''
      const shown = shownTitle(title)
      return pageText({
        title: shown,
        main: html`${isOfView && html`<p><a href="${base}">All notes</a></p>`}
<h1 dir="auto">${shown}</h1>
<p class="by">Changed ${shownTime(updatedAt)}</p>
${bodyOf(JSON.stringify({ content, title: shown, base, within }))}`,
      })
    },
  }),
)

/** A widely shared page is requested often, and a long text is slow to parse. */
const MAX_BODIES = 8

/** The body of a page, keyed by all of its inputs. */
const bodyOf = memoize((made: string): Html => {
  const { content, title, base, within } = JSON.parse(made)
  return renderMarkdown(content, title, (file) => `${base}/files/${file.toLowerCase()}${within}`)
}, MAX_BODIES)

export async function notePage({ kernel }: AppContext, visit: Visit, id: string): Promise<Response> {
  const input = { ...sharedNotes(visit), base: visit.base, id }
  return textResponse(await kernel.callAs(visitorOf(visit), sharedNotePage, input))
}

interface FileInput extends SharedNotes {
  /** The note that names it; without one, any note of a view that links to it. */
  readonly note: string | null
  readonly file: string
}

/** Whether a shown note currently names a file. */
export const namesSharedFile = long(
  read({
    name: 'shares.names-file',
    covers: 'several',
    run: (snapshot, caller, { note, file, ...shared }: FileInput) => {
      if (note !== null) return filesNamedIn(sharedNote(snapshot, caller, shared, note).content).has(file)
      const { workspacePk } = placeFor(caller, 'notes')
      const linking = notesWithLinks(snapshot, workspacePk, [fileTarget(file)])
      const isNaming = (pk: number) => filesNamedIn(contentOf(snapshot, pk)).has(file)
      const isAnyShown = (notes: number[]) => isAnyInView(snapshot, caller, shared.target, notes)
      return isAnyShown(linking) && isAnyShown(linking.filter(isNaming))
    },
  }),
)

/** Whether the share shows a file: its own note, or a note in its view, names the file. */
export async function showsFile(
  { kernel }: AppContext,
  visit: Visit,
  file: string,
  note: string | null,
): Promise<boolean> {
  const shared = sharedNotes(visit)
  const input = { ...shared, note: shared.kind === 'note' ? shared.target : note, file }
  return kernel.callAs(visitorOf(visit), namesSharedFile, input)
}

const PAGE_SIZE = 50

interface FoundNotes {
  readonly notes: readonly { readonly id: string; readonly title: string; readonly updated_at: string }[]
  readonly total: number
}

interface ViewInput extends Pick<VisitedShare, 'name' | 'target'> {
  readonly base: string
  readonly page: number
}

/** A page of the notes that are currently in a view. */
export const sharedViewPage = read({
  name: 'shares.view',
  covers: 'several',
  run: (snapshot, caller, { name, target, base, page }: ViewInput) => {
    const view = getSharedView(snapshot, caller, target)
    const found = notesByTree(snapshot, placeFor(caller, 'notes').workspacePk, {
      filter: filterOf(view),
      sort: sortOf(view),
      page: { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE },
      shown: { content: false },
    })
    const { notes, total }: FoundNotes = JSON.parse(found)
    const items = notes.map(
      ({ id, title, updated_at }) =>
        html`<li><a href="${base}/${id}" dir="auto">${shownTitle(title)}</a> <time datetime="${updated_at}">${updated_at.slice(0, 10)}</time></li>`,
    )
    const title = shownText(name ?? view.name)
    return pageText({
      title,
      main: html`<h1 dir="auto">${title}</h1>
<p class="by">${total === 1 ? '1 note' : `${total} notes`}</p>
${total === 0 ? html`<p>No note is in this view at present.</p>` : html`<ul class="list">${items}</ul>`}
${pageLinks(page, Math.ceil(total / PAGE_SIZE), (other) => `${base}?page=${other}`)}`,
    })
  },
})

export async function viewPage({ kernel }: AppContext, visit: Visit, page: number): Promise<Response> {
  const { share, base } = visit
  const input = { name: share.name, target: share.target, base, page }
  return textResponse(await kernel.callAs(visitorOf(visit), sharedViewPage, input))
}

/** Links to the pages before and after this one. */
export const pageLinks = (page: number, pages: number, address: (page: number) => string) =>
  pages > 1 &&
  html`<nav class="pages" aria-label="Pages">${page > 1 && html`<a href="${address(page - 1)}" rel="prev">Previous</a>`}
<span>Page ${page} of ${pages}</span>
${page < pages && html`<a href="${address(page + 1)}" rel="next">Next</a>`}</nav>`
