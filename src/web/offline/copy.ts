import { excerptOf } from '../../notes/excerpt.ts'
import type { components } from '../data/api-types.d.ts'
import { formatNumber } from '../data/formats.ts'
import type { Change } from '../data/live.ts'
import type { NoteVersion } from '../data/note-text.ts'
import type { Row } from '../data/records/model.ts'
import { Refused, request } from '../data/request.ts'
import type { Session } from '../data/session.ts'
import { type About, COPY, database, type Mark, notifyCopyChange, rowsOf, whereOf } from './database.ts'
import type { OfflineNote } from './offline-notes.ts'
import { keepPictures } from './pictures.ts'

/*
 * The offline copy of a part of the workspace: the titles of the last edited notes, the texts of the newest and pinned
 * ones, small lists, and the rows of the tables marked “Keep offline”. It is made once and then follows the change feed.
 */

/** The maximum number of titles and texts in the copy. */
export const MAX_NOTES = 5_000
export const MAX_NOTES_WITH_TEXT = 500
const MAX_CHARACTERS = 40_000_000
export const MAX_OFFLINE_ROWS = 50_000

/** Small lists that are stored unchanged. */
const LISTS: readonly string[] = [
  '/v1/tags',
  '/v1/properties',
  '/v1/presets',
  '/v1/views',
  '/v1/lenses',
  '/v1/quick-access',
  '/v1/records/structures',
  '/v1/workspace',
  '/app/api/preferences',
  '/app/api/members',
]

/** The lists that contain counts of notes or rows. */
const COUNTS: readonly string[] = ['/v1/tags', '/v1/records/structures', '/v1/workspace']

/** The path of the views of a table. */
const viewsOf = (structure: string): string => `/v1/records/views?structure=${structure}`

type Note = components['schemas']['Note'] & {
  edited_at?: string
  excerpt?: string
  properties?: Record<string, unknown>
}

const read = <Response>(path: string): Promise<Response> => request<Response>('GET', path, { isFresh: true })

/** The pages of a list, unaffected by concurrent changes. */
async function* pages(path: string): AsyncGenerator<Page> {
  for (let cursor: string | null = 'start'; cursor !== null; ) {
    const page: Page = await read<Page>(`${path}&cursor=${cursor}`)
    yield page
    cursor = page.next_cursor
  }
}

/** A page of notes or of rows. */
interface Page {
  readonly notes: readonly Note[]
  readonly records: readonly Row[]
  /** With `total=true` alone. */
  readonly total: number
  readonly next_cursor: string | null
}

/** Acts on a few items at a time, so that requests of the user need not wait for all. */
async function each<Item>(items: readonly Item[], act: (item: Item) => Promise<unknown>): Promise<void> {
  const left = [...items]
  const next = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item)
  }
  await Promise.all([next(), next(), next()])
}

const offlineNoteOf = ({ content = '', edited_at, excerpt, ...head }: Note): OfflineNote => ({
  ...head,
  edited_at: edited_at ?? head.updated_at,
  excerpt: excerpt ?? excerptOf(content),
})

/** The user's read access, as a comparable text. */
const readAccess = async (): Promise<string> =>
  JSON.stringify((await read<{ access?: object }>('/v1/me')).access ?? null)

/**
 * Updates or creates the copy. `isSure` means that the user's read access is unchanged. Returns whether the copy was
 * created again because the server was restored from a backup.
 */
export async function updateCopy(session: Session, isSure: boolean): Promise<boolean> {
  const about = await (await database()).get('about', 'copy')
  const access = isSure && about ? about.access : await readAccess()
  const isSame =
    about?.session.user.id === session.user.id &&
    about.session.workspace.id === session.workspace.id &&
    about.access === access
  let isSetBack = false
  if (!isSame || about.cursor === undefined) await makeCopy(session, { access })
  else
    try {
      await follow(session, about, about.cursor)
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 410) throw error
      await makeCopy(session, about)
      isSetBack = true
    }
  await copyMarked(session, isSetBack, isSure)
  await countRows(session)
  await updateSize()
  return isSetBack
}

type CopyOptions = Pick<About, 'access'> & Partial<Pick<About, 'since'>>

/** Creates a new copy, which replaces the old one only once it is complete. */
async function makeCopy(session: Session, { access, since = Date.now() }: CopyOptions): Promise<void> {
  const { cursor } = await read<{ cursor: string }>('/v1/changes?after=now')
  const heads: OfflineNote[] = []
  for await (const { notes } of pages('/v1/notes?sort=edited_at&content=false&excerpt=true&limit=200')) {
    heads.push(...notes.map(offlineNoteOf))
    if (heads.length >= MAX_NOTES) break
  }
  const lists = await readLists(LISTS)
  const notes = new Map(heads.map((head) => [head.id, head]))
  const texts = await readTexts(notes, notesWithText(heads, lists))
  if (hasItems(lists, '/v1/properties', 'properties'))
    await each([...texts.keys()], async (id) => {
      const { properties } = await read<Pick<OfflineNote, 'properties'>>(`/v1/notes/${id}/properties`)
      const head = notes.get(id)
      if (head && properties) notes.set(id, { ...head, properties })
    })
  const stores = [...COPY, 'marks'] as const
  const transaction = (await database()).transaction(stores, 'readwrite')
  const store = <Name extends (typeof COPY)[number]>(name: Name) => transaction.objectStore(name)
  for (const name of COPY) void store(name).clear()
  for (const note of notes.values()) void store('notes').put(note)
  for (const [id, text] of texts) void store('texts').put(text, id)
  for (const [path, list] of lists) void store('answers').put(list, path)
  // Rows are read again as well.
  for (const mark of await transaction.objectStore('marks').getAll(rangeOf(session))) {
    const { since: _, ...unread } = mark
    void transaction.objectStore('marks').put({ ...unread, rows: 0 })
  }
  const size = { notes: notes.size, characters: 0 }
  void store('about').put({ session, cursor, since, access, ...size }, 'copy')
  await transaction.done
  notifyCopyChange()
}

const rangeOf = ({ user, workspace }: Session) => whereOf(user.id, workspace.id)

async function readLists(paths: readonly string[]): Promise<Map<string, object>> {
  const lists = new Map<string, object>()
  await each(paths, async (path) => {
    const list = await readIfPresent<object>(path)
    if (list) lists.set(path, list)
  })
  return lists
}

const hasItems = (lists: ReadonlyMap<string, object>, path: string, name: string): boolean =>
  ((lists.get(path) as Record<string, readonly unknown[]> | undefined)?.[name]?.length ?? 0) > 0

/** The IDs of the notes whose texts are stored: the newest, the pinned, and those in quick access. */
function notesWithText(heads: readonly OfflineNote[], lists: ReadonlyMap<string, object>): Set<string> {
  const { items = [] } = (lists.get('/v1/quick-access') ?? {}) as { items?: readonly { note_id: string }[] }
  const pinned = heads.filter(({ pinned }) => pinned)
  const latest = heads.slice(0, MAX_NOTES_WITH_TEXT)
  return new Set([...latest, ...pinned].map(({ id }) => id).concat(items.map(({ note_id }) => note_id)))
}

/** Stores the texts of these notes, and the titles of new ones. */
async function readTexts(
  notes: Map<string, OfflineNote>,
  wanted: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  let characters = 0
  const add = (note: Note) => {
    if (!wanted.has(note.id) || characters > MAX_CHARACTERS) return
    const { content } = note
    characters += content.length
    texts.set(note.id, content)
    notes.set(note.id, { ...offlineNoteOf(note), ...notes.get(note.id) })
  }
  let found = 0
  for await (const page of pages('/v1/notes?sort=edited_at&limit=100')) {
    for (const note of page.notes) add(note)
    found += page.notes.length
    if (found >= MAX_NOTES_WITH_TEXT) break
  }
  const rest = [...wanted].filter((id) => !texts.has(id))
  await each(rest, async (id) =>
    add((await readIfPresent<{ note: Note }>(`/v1/notes/${id}`))?.note ?? NO_NOTE),
  )
  return texts
}

const NO_NOTE = { id: '', content: '' } as Note

const readIfPresent = <Response>(path: string): Promise<Response | undefined> =>
  read<Response>(path).catch((error) => {
    if (error instanceof Refused && error.status === 404) return undefined
    throw error
  })

interface FeedPage {
  readonly changes: readonly (Change & { readonly object: unknown })[]
  readonly cursor: string
  readonly has_more: boolean
}

const KINDS = 'note,record,row_view,tag,property,structure,preset,view,lens,quick_access_item'

/** The lists that a change affects. */
function listsAfter({ kind, op, changed, structure_id }: Change): readonly string[] {
  if (kind === 'row_view') return [viewsOf(structure_id ?? '')]
  if (kind !== 'note' && kind !== 'record') return LISTS
  return op !== 'updated' || changed.includes('tags') ? COUNTS : []
}

/** Applies the changes since the last update. */
async function follow(session: Session, about: About, from: string): Promise<void> {
  let cursor = from
  const changed = new Set<string>()
  for (let more = true; more; ) {
    const path = `/v1/changes?include=objects&edited=true&limit=200&kinds=${KINDS}&after=${cursor}`
    const page = await read<FeedPage>(path)
    // Renaming a tag changes many notes without a change of their own.
    if (page.changes.some(({ kind, op }) => kind === 'tag' && op !== 'created'))
      return makeCopy(session, about)
    for (const list of page.changes.flatMap(listsAfter)) changed.add(list)
    await apply(session, page)
    cursor = page.cursor
    more = page.has_more
  }
  const known = new Set(await (await database()).getAllKeys('answers'))
  const lists = await readLists([...changed].filter((path) => LISTS.includes(path) || known.has(path)))
  const transaction = (await database()).transaction(['about', 'answers'], 'readwrite')
  const current = await transaction.objectStore('about').get('copy')
  if (current) {
    for (const [path, list] of lists) void transaction.objectStore('answers').put(list, path)
    void transaction.objectStore('about').put({ ...current, session }, 'copy')
  }
  await transaction.done
  if (cursor !== from) {
    await trim()
    notifyCopyChange()
  }
}

async function apply(session: Session, { changes, cursor }: FeedPage): Promise<void> {
  const transaction = (await database()).transaction(
    ['about', 'notes', 'texts', 'rows', 'marks'],
    'readwrite',
  )
  const about = await transaction.objectStore('about').get('copy')
  // The copy was emptied in the meantime.
  if (!about) return
  const marks = await transaction.objectStore('marks').getAll(rangeOf(session))
  for (const { kind, id, op, structure_id, object } of changes) {
    if (kind === 'note') {
      const note = object as Note | null
      void (note
        ? transaction.objectStore('notes').put(offlineNoteOf(withoutContent(note)))
        : transaction.objectStore('notes').delete(id))
      void (note
        ? transaction.objectStore('texts').put(note.content, id)
        : transaction.objectStore('texts').delete(id))
    }
    const mark = marks.find(({ structure }) => structure === (kind === 'structure' ? id : structure_id))
    if (!mark) continue
    if (kind === 'record' && mark.problem === undefined)
      void (object
        ? transaction.objectStore('rows').put({ structure: mark.structure, id, row: object as never })
        : transaction.objectStore('rows').delete([mark.structure, id]))
    if (kind === 'structure' && op === 'deleted') {
      void transaction.objectStore('rows').delete(rowsOf(id))
      void transaction.objectStore('marks').delete([mark.user, mark.workspace, id])
    }
  }
  void transaction.objectStore('about').put({ ...about, cursor }, 'copy')
  await transaction.done
}

const withoutContent = (note: Note): Note => ({ ...note, excerpt: excerptOf(note.content) })

/** Updates the stored text of a note saved in this tab, before the change feed reports it. */
export async function keepSavedNote(id: string, { title, content, updated_at }: NoteVersion): Promise<void> {
  const transaction = (await database()).transaction(['notes', 'texts'], 'readwrite')
  const head = await transaction.objectStore('notes').get(id)
  const isKept = (await transaction.objectStore('texts').getKey(id)) !== undefined
  if (!head || !isKept || head.updated_at >= updated_at) return
  const changed = { title, excerpt: excerptOf(content), updated_at, edited_at: updated_at }
  void transaction.objectStore('notes').put({ ...head, ...changed })
  void transaction.objectStore('texts').put(content, id)
  await transaction.done
  notifyCopyChange()
}

/** Updates a row saved in this tab, if its table is marked. */
export async function keepSavedRow(structure: string, row: Row): Promise<void> {
  const transaction = (await database()).transaction('rows', 'readwrite')
  const kept = await transaction.store.get([structure, row.id])
  if (!kept || kept.row.updated_at >= row.updated_at) return
  void transaction.store.put({ ...kept, row })
  await transaction.done
  notifyCopyChange()
}

/** Deletes the notes and texts beyond the limits. */
async function trim(): Promise<void> {
  const transaction = (await database()).transaction(['notes', 'texts', 'answers'], 'readwrite')
  const heads = await transaction.objectStore('notes').getAll()
  const quick = await transaction.objectStore('answers').get('/v1/quick-access')
  heads.sort((one, other) => (one.edited_at < other.edited_at ? 1 : -1))
  const whole = notesWithText(heads, new Map(quick ? [['/v1/quick-access', quick]] : []))
  for (const id of await transaction.objectStore('texts').getAllKeys())
    if (!whole.has(id)) void transaction.objectStore('texts').delete(id)
  for (const { id } of heads.slice(MAX_NOTES))
    if (!whole.has(id)) void transaction.objectStore('notes').delete(id)
  await transaction.done
}

/** Reads the rows of newly marked tables. A table with too many rows is not tried again after every change. */
async function copyMarked(session: Session, isAgain: boolean, isSure: boolean): Promise<void> {
  const marks = await (await database()).getAll('marks', rangeOf(session))
  for (const mark of marks) {
    if ((mark.since !== undefined && !isAgain) || (mark.problem !== undefined && isSure)) continue
    await copyRows(mark)
    notifyCopyChange()
  }
}

async function copyRows(mark: Mark): Promise<void> {
  const { structure } = mark
  const views = viewsOf(structure)
  const shown = await readIfPresent<object>(views)
  const db = await database()
  if (!shown) return db.delete('marks', keyOf(mark))
  await db.put('answers', shown, views)
  await db.delete('rows', rowsOf(structure))
  let rows = 0
  const list = `/v1/records?structure=${structure}&direction=asc&limit=500&total=true`
  for await (const { records, total } of pages(list)) {
    if (total > MAX_OFFLINE_ROWS) return unmarkTooLarge(mark, total)
    const transaction = db.transaction(['rows', 'marks'], 'readwrite')
    const isMarked = await transaction.objectStore('marks').getKey(keyOf(mark))
    if (!isMarked) return
    for (const row of records) void transaction.objectStore('rows').put({ structure, id: row.id, row })
    await transaction.done
    rows += records.length
  }
  const { problem: _, ...sound } = mark
  await putMark({ ...sound, rows, since: Date.now() })
}

const keyOf = ({ user, workspace, structure }: Mark): [string, string, string] => [user, workspace, structure]

/** Stores the state of a marked table, unless it is no longer marked. */
async function putMark(mark: Mark): Promise<void> {
  const transaction = (await database()).transaction('marks', 'readwrite')
  if (await transaction.store.getKey(keyOf(mark))) void transaction.store.put(mark)
  await transaction.done
}

/** Deletes the rows of a table that has too many. */
async function unmarkTooLarge({ since: _, ...mark }: Mark, total: number): Promise<void> {
  const problem = `${mark.name} has ${formatNumber(total)} rows; at most ${formatNumber(MAX_OFFLINE_ROWS)} can be kept offline.`
  await (await database()).delete('rows', rowsOf(mark.structure))
  await putMark({ ...mark, rows: 0, problem })
}

/** Counts the stored rows, which may have changed since they were read. */
async function countRows(session: Session): Promise<void> {
  const db = await database()
  for (const mark of await db.getAll('marks', rangeOf(session))) {
    const rows = await db.count('rows', rowsOf(mark.structure))
    if (mark.since === undefined || rows === mark.rows) continue
    if (rows > MAX_OFFLINE_ROWS) await unmarkTooLarge(mark, rows)
    else await putMark({ ...mark, rows })
    notifyCopyChange()
  }
}

/** Stores the images of the stored notes, and updates the size of the copy. */
async function updateSize(): Promise<void> {
  const db = await database()
  const texts = await db.getAll('texts')
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  const size = { notes: await db.count('notes'), characters, pictures: await keepPictures(texts) }
  const transaction = db.transaction('about', 'readwrite')
  const about = await transaction.store.get('copy')
  if (about) void transaction.store.put({ ...about, ...size }, 'copy')
  await transaction.done
}
