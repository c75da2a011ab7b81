import { Refusal } from '../../lib/refusal.ts'
import { excerptOf } from '../../notes/excerpt.ts'
import { refetch } from '../data/cache.ts'
import type { PendingAction, RowsAction } from '../data/pending-actions.ts'
import { withData, withTag } from '../data/pending-values.ts'
import type { Row, Structure } from '../data/records/model.ts'
import { Refused, unreachableSince } from '../data/request.ts'
import { sessionKey } from '../data/session-key.ts'
import { type About, database, isWhole, type Mark, onOfflineCopyChange, rowsOf, whereOf } from './database.ts'
import { find } from './find.ts'
import { foldNotes, type PendingNote } from './note-folding.ts'
import { type Filter, nameTest, type OfflineNote, OfflineNotes } from './offline-notes.ts'
import { OfflineRows } from './offline-rows.ts'
import { listActions, notesOf } from './pending-actions.ts'
import { onQueueChange } from './queue.ts'

/*
 * Answers reads from the offline copy, in the same form as the server. Throws an error with an explanation if the data is
 * not in the copy or the query cannot be evaluated here.
 */

/** The requested data is not in the offline copy. */
export class NotOffline extends Error {
  constructor(reason: string, advice = 'Reconnect and try again.') {
    super(`${reason} ${advice}`)
  }
}

/** The offline copy, merged with the edits since. */
class OfflineCopy {
  readonly #rows = new Map<string, Promise<OfflineRows>>()
  #stored: ReturnType<typeof readStored> | undefined
  #drafts: Promise<readonly PendingNote[]> | undefined
  #notes: Promise<OfflineNotes> | undefined

  constructor(
    readonly about: About,
    readonly marks: readonly Mark[],
  ) {}

  get drafts(): Promise<readonly PendingNote[]> {
    const { user, workspace } = this.about.session
    this.#drafts ??= foldNotes({ user: user.id, workspace: workspace.id })
    return this.#drafts
  }

  get notes(): Promise<OfflineNotes> {
    this.#notes ??= this.#readNotes()
    return this.#notes
  }

  async #readNotes(): Promise<OfflineNotes> {
    this.#stored ??= readStored()
    const [stored, drafts, actions] = await Promise.all([this.#stored, this.drafts, this.#actions()])
    const [notes, texts] = [new Map(stored.notes), new Map(stored.texts)]
    for (const draft of drafts) {
      notes.set(draft.note, headOf(draft, notes.get(draft.note)))
      texts.set(draft.note, draft.text.content)
    }
    for (const { action } of actions)
      for (const { id } of notesOf(action)) {
        const note = notes.get(id)
        if (note) notes.set(id, withAction(note, action, texts.has(id)))
      }
    return new OfflineNotes([...notes.values()], texts)
  }

  async #readRows(structure: Structure): Promise<OfflineRows> {
    const stored = await (await database()).getAll('rows', rowsOf(structure.id))
    const rows = new Map(stored.map(({ id, row }) => [id, row]))
    await this.#addPending(structure.id, rows)
    // The key begins with the id of the user.
    return new OfflineRows(structure, [...rows.values()], sessionKey.peek()?.split(' ')[0] ?? '')
  }

  async #addPending(structure: string, rows: Map<string, Row>): Promise<void> {
    for (const { action, at } of await this.#actions())
      if (action.kind === 'rows' && action.structure.id === structure) addPending(rows, action, at)
  }

  /** A single row of a table. */
  async row(structure: string, id: string): Promise<Row | undefined> {
    const stored = await (await database()).get('rows', [structure, id])
    const rows = new Map(stored && [[id, stored.row]])
    await this.#addPending(structure, rows)
    return rows.get(id)
  }

  #actions() {
    const { user, workspace } = this.about.session
    return listActions(user.id, workspace.id)
  }

  /** Called after an edit. */
  forgetDrafts(): void {
    this.#drafts = undefined
    this.#notes = undefined
  }

  rows(structure: Structure): Promise<OfflineRows> {
    const known = this.#rows.get(structure.id) ?? this.#readRows(structure)
    this.#rows.set(structure.id, known)
    return known
  }
}

async function readStored() {
  const transaction = (await database()).transaction(['notes', 'texts'])
  const [heads, ids, contents] = await Promise.all([
    transaction.objectStore('notes').getAll(),
    transaction.objectStore('texts').getAllKeys(),
    transaction.objectStore('texts').getAll(),
  ])
  return {
    notes: new Map(heads.map((head) => [head.id, head])),
    texts: new Map(ids.map((id, at) => [id, contents[at] ?? ''])),
  }
}

/** Adds the rows of an action that is not sent yet. */
function addPending(rows: Map<string, Row>, { created, changed }: RowsAction, at: number): void {
  const now = new Date(at).toISOString()
  for (const { id, data } of created)
    rows.set(id, withData({ id, data: {}, created_at: now, updated_at: now, deleted_at: null }, data))
  for (const { id, data } of changed) {
    const row = rows.get(id)
    if (row) rows.set(id, withData(row, data))
  }
}

/** A note with a pending action. Its properties are known only if the whole note is stored. */
function withAction(note: OfflineNote, action: PendingAction, isWhole: boolean): OfflineNote {
  if (action.kind === 'tag') return { ...note, tags: withTag(note.tags, action.tag, action.isAdded) }
  if (action.kind === 'rows') return note
  const { property, value } = action
  if (!property) return { ...note, pinned: value === true }
  return isWhole ? { ...note, properties: { ...note.properties, [property.key]: value } } : note
}

/** A note with its edits applied. */
function headOf({ note, text, at, tags = [] }: PendingNote, head: OfflineNote | undefined): OfflineNote {
  const written = {
    title: text.title,
    excerpt: excerptOf(text.content),
    edited_at: new Date(at).toISOString(),
  }
  if (head) return { ...head, ...written }
  return {
    ...written,
    id: note,
    tags: [...tags],
    alias: null,
    pinned: false,
    pin_label: null,
    cover_url: null,
    created_at: written.edited_at,
    updated_at: written.edited_at,
  }
}

let copy: Promise<OfflineCopy | undefined> | undefined
onOfflineCopyChange(() => {
  copy = undefined
})

/** Lists of notes are refetched from the copy after this pause in writing. */
const PAUSE_MS = 1_000
const LISTS = { queryKey: ['note tag view'] }
let timer: ReturnType<typeof setTimeout> | undefined
onQueueChange(() => {
  void copy?.then((found) => found?.forgetDrafts())
  clearTimeout(timer)
  if (unreachableSince.peek() !== undefined) timer = setTimeout(() => void refetch(LISTS), PAUSE_MS)
})

async function readOfflineCopy(): Promise<OfflineCopy | undefined> {
  const about = await (await database()).get('about', 'copy')
  if (about?.cursor === undefined) return undefined
  const { user, workspace } = about.session
  return new OfflineCopy(about, await (await database()).getAll('marks', whereOf(user.id, workspace.id)))
}

/** The offline copy of the current workspace. */
async function currentCopy(): Promise<OfflineCopy | undefined> {
  copy ??= readOfflineCopy().catch(() => undefined)
  const found = await copy
  const isShown =
    found && sessionKey.peek() === `${found.about.session.user.id} ${found.about.session.workspace.id}`
  return isShown ? found : undefined
}

/** The session in which the copy was made; undefined without a copy. */
export const offlineSession = async () => (await readOfflineCopy().catch(() => undefined))?.about.session

interface ReadRequest {
  readonly copy: OfflineCopy
  readonly path: string
  readonly parts: readonly string[]
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
}

type Answer = (request: ReadRequest) => Promise<object>

const pageOf = ({ limit = '50', offset = '0' }: ReadRequest['query']) => ({
  limit: Number(limit),
  offset: Number(offset),
})

async function listNotes({ copy, query }: ReadRequest) {
  const stored = await copy.notes
  const page = stored.list({ ...query, ...pageOf(query) })
  if (query.content !== 'true') return page
  return { ...page, notes: page.notes.map((note) => ({ ...note, content: stored.texts.get(note.id) })) }
}

interface NotesBody {
  readonly filter?: Filter
  readonly search?: string
  readonly limit?: number
  readonly offset?: number
}

async function queryNotes({ copy, body }: ReadRequest) {
  const { filter, limit = 50, offset = 0, search } = body as NotesBody
  const fits = filter === undefined ? () => true : nameTest(filter)
  if (!fits) throw new NotOffline('This filter doesn’t work offline.')
  return (await copy.notes).list({ ...(search !== undefined && { search }), fits, limit, offset })
}

async function noteOf({ copy, parts: [id = ''] }: ReadRequest): Promise<OfflineNote> {
  const note = (await copy.notes).find(id)
  if (!note) throw new NotOffline('This note isn’t available offline.')
  return note
}

async function readNote(request: ReadRequest) {
  const { properties: _, excerpt: __, edited_at: ___, ...note } = await noteOf(request)
  const draft = (await request.copy.drafts).find(({ note: id }) => id === note.id)
  if (draft) return { note: { ...note, ...draft.base, tags: note.tags } }
  const content = (await request.copy.notes).texts.get(note.id)
  if (content === undefined) throw new NotOffline(`The text of “${note.title}” isn’t available offline.`)
  return { note: { ...note, content } }
}

async function readProperties(request: ReadRequest) {
  const { id, properties } = await noteOf(request)
  const isWhole = (await request.copy.notes).texts.has(id)
  if (!properties && !isWhole) throw new NotOffline('The properties of this note aren’t available offline.')
  return { properties: properties ?? {} }
}

async function readLinks(request: ReadRequest) {
  const { id } = await noteOf(request)
  return (await request.copy.notes).links(id)
}

async function readView({ parts: [id] }: ReadRequest) {
  const { views } = await saved<{ views: { id: string }[] }>('/v1/views')
  const view = views.find((one) => one.id === id)
  if (!view) throw new NotOffline('This view isn’t available offline.')
  return { view }
}

async function saved<Response extends object>(path: string): Promise<Response> {
  const found = await (await database()).get('answers', path)
  if (!found) throw new NotOffline('This isn’t available offline.')
  return found as Response
}

async function findStructure(nameOrId: string): Promise<Structure> {
  const { structures } = await saved<{ structures: Structure[] }>('/v1/records/structures')
  const found = structures.find(({ id, name }) => id === nameOrId || name === nameOrId)
  if (!found) throw new NotOffline('This table isn’t available offline.')
  return found
}

const readStructure = async ({ parts: [nameOrId = ''] }: ReadRequest) => ({
  structure: await findStructure(nameOrId),
})

async function listRows({ copy, query }: ReadRequest) {
  if (query.deleted === 'true') throw new NotOffline('Deleted rows aren’t available offline.')
  const structure = await findStructure(query.structure ?? '')
  const mark = copy.marks.find((one) => one.structure === structure.id)
  if (!mark || !isWhole(mark))
    throw mark?.problem
      ? new NotOffline(mark.problem)
      : new NotOffline(
          `${structure.name} isn’t available offline.`,
          'Select “Keep offline” in its menu when you are online.',
        )
  const rows = await copy.rows(structure)
  const { cursor, ...rest } = query
  if (cursor === undefined) return rows.list({ ...rest, ...pageOf(rest) })
  const page = { ...pageOf(rest), offset: cursor === 'start' ? 0 : Number(cursor) }
  if (Number.isNaN(page.offset))
    throw new NotOffline('The connection was lost.', 'Try again when you are online.')
  const { records, has_more } = rows.list({ ...rest, ...page })
  return { records, has_more, next_cursor: has_more ? String(page.offset + page.limit) : null }
}

async function readRow({ copy, parts: [id = ''] }: ReadRequest) {
  for (const { structure } of copy.marks) {
    const record = await copy.row(structure, id)
    if (record) return { record, structure_id: structure }
  }
  throw new NotOffline('This row isn’t available offline.')
}

/** Answers by method and path; a part in braces matches any value. */
const ANSWERS: readonly (readonly [form: RegExp, answer: Answer])[] = [
  [/^GET \/v1\/notes$/, listNotes],
  [/^POST \/v1\/notes\/query$/, queryNotes],
  [/^GET \/v1\/search$/, ({ copy, query }) => find(copy, query)],
  [/^GET \/v1\/notes\/(?!trash$)([^/]+)$/, readNote],
  [/^GET \/v1\/notes\/([^/]+)\/properties$/, readProperties],
  [/^GET \/v1\/notes\/([^/]+)\/links$/, readLinks],
  [/^GET \/v1\/notes\/([^/]+)\/tags$/, async (request) => ({ tags: (await noteOf(request)).tags })],
  [/^GET \/v1\/views\/([^/]+)$/, readView],
  [/^GET \/v1\/records$/, listRows],
  [/^GET \/v1\/records\/structures\/([^/]+)$/, readStructure],
  [/^GET \/v1\/records\/(?!structures$|views$|board$|summary$|watch$)([^/]+)$/, readRow],
]

/** Reasons why a read cannot be answered offline, by path. */
const UNAVAILABLE: readonly (readonly [path: RegExp, what: string])[] = [
  [/^\/v1\/notes\/trash/, 'The trash isn’t available offline.'],
  [/^\/v1\/views\/[^/]+\/notes$/, 'This view doesn’t work offline.'],
  [/\/revisions/, 'Earlier versions aren’t available offline.'],
  [/\/mentions$/, 'Mentions of this note aren’t available offline.'],
  [/\/(?:summary|board)$/, 'Boards and summaries aren’t available offline.'],
  [/\/history$/, 'The history of a row isn’t available offline.'],
  [/^\/v1\/notes\/[^/]+\/files$/, 'The files of this note aren’t available offline.'],
  [/^\/v1\/files/, 'Files aren’t available offline.'],
]

/**
 * Answers a read of the current workspace; undefined if there is no copy of it. Throws the error that the server would
 * return, or `NotOffline`.
 */
export async function answerFromCopy(
  method: string,
  address: string,
  body: unknown,
): Promise<object | undefined> {
  const found = await currentCopy()
  if (!found) return undefined
  const { pathname: path, searchParams } = new URL(address, location.origin)
  for (const [form, answer] of ANSWERS) {
    const match = form.exec(`${method} ${path}`)
    if (!match) continue
    const parts = match.slice(1).map(decodeURIComponent)
    const query = Object.fromEntries(searchParams)
    try {
      return await answer({ copy: found, path, parts, query, body })
    } catch (error) {
      throw error instanceof Refusal ? new Refused(400, error.code, error.message, undefined) : error
    }
  }
  const saved = method === 'GET' ? await (await database()).get('answers', address) : undefined
  if (saved) return saved
  const [, what = 'This isn’t available offline.'] = UNAVAILABLE.find(([form]) => form.test(path)) ?? []
  throw new NotOffline(what)
}
