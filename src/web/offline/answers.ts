import { excerptOf } from '../../notes/excerpt.ts'
import { Refusal } from '../../refusal.ts'
import { refetch } from '../data/cache.ts'
import type { Draft } from '../data/note-text.ts'
import { awaySince, Refused } from '../data/request.ts'
import { sessionKey } from '../data/session-key.ts'
import type { Structure } from '../pages/records/model.ts'
import { type About, database, type Mark, onKeptChange, rowsOf, whereOf } from './database.ts'
import { type Filter, type KeptNote, KeptNotes, nameTest } from './kept-notes.ts'
import { KeptRows } from './kept-rows.ts'
import { listDrafts, onQueueChange } from './queue.ts'

/*
 * Reads that are answered from what this browser keeps, in the form in which the server answers them. What is not kept, or
 * cannot be judged here, is refused with a sentence that says so.
 */

/** What was asked for is not in this browser. */
export class NotKept extends Error {
  constructor(what: string) {
    super(`${what} is there again when the server can be reached.`)
  }
}

/** What is kept, as it was last read, with what was written since. */
class Kept {
  readonly #rows = new Map<string, Promise<KeptRows>>()
  #stored: ReturnType<typeof readStored> | undefined
  #drafts: Promise<readonly Draft[]> | undefined
  #notes: Promise<KeptNotes> | undefined

  constructor(
    readonly about: About,
    readonly marks: readonly Mark[],
  ) {}

  get drafts(): Promise<readonly Draft[]> {
    const { user, workspace } = this.about.session
    this.#drafts ??= listDrafts(user.id, workspace.id)
    return this.#drafts
  }

  get notes(): Promise<KeptNotes> {
    this.#notes ??= this.#readNotes()
    return this.#notes
  }

  async #readNotes(): Promise<KeptNotes> {
    this.#stored ??= readStored()
    const [stored, drafts] = await Promise.all([this.#stored, this.drafts])
    const [notes, texts] = [new Map(stored.notes), new Map(stored.texts)]
    for (const draft of drafts) {
      notes.set(draft.note, headOf(draft, notes.get(draft.note)))
      texts.set(draft.note, draft.text.content)
    }
    return new KeptNotes([...notes.values()], texts)
  }

  /** Something was written. */
  forgetDrafts(): void {
    this.#drafts = undefined
    this.#notes = undefined
  }

  rows(structure: Structure): Promise<KeptRows> {
    const known = this.#rows.get(structure.id) ?? readRows(structure)
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

async function readRows(structure: Structure): Promise<KeptRows> {
  const kept = await (await database()).getAll('rows', rowsOf(structure.id))
  return new KeptRows(
    structure,
    kept.map(({ row }) => row),
  )
}

/** A note as it was written here. */
function headOf({ note, text, at, tags = [] }: Draft, head: KeptNote | undefined): KeptNote {
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

let kept: Promise<Kept | undefined> | undefined
onKeptChange(() => {
  kept = undefined
})

/** Lists of notes that are shown while the server is away are read again after a pause in writing. */
const PAUSE_MS = 1_000
const LISTS = { queryKey: ['note tag view'] }
let timer: ReturnType<typeof setTimeout> | undefined
onQueueChange(() => {
  void kept?.then((found) => found?.forgetDrafts())
  clearTimeout(timer)
  if (awaySince.peek() !== undefined) timer = setTimeout(() => void refetch(LISTS), PAUSE_MS)
})

async function readKept(): Promise<Kept | undefined> {
  const about = await (await database()).get('about', 'copy')
  if (about?.cursor === undefined) return undefined
  const { user, workspace } = about.session
  return new Kept(about, await (await database()).getAll('marks', whereOf(user.id, workspace.id)))
}

/** What is kept of the workspace that is shown. */
async function present(): Promise<Kept | undefined> {
  kept ??= readKept().catch(() => undefined)
  const found = await kept
  const isShown =
    found && sessionKey.peek() === `${found.about.session.user.id} ${found.about.session.workspace.id}`
  return isShown ? found : undefined
}

/** Who was signed in when the copy was made; undefined when nothing is kept. */
export const keptSession = async () => (await readKept().catch(() => undefined))?.about.session

interface Asked {
  readonly kept: Kept
  readonly path: string
  readonly parts: readonly string[]
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
}

type Answer = (asked: Asked) => Promise<object>

const pageOf = ({ limit = '50', offset = '0' }: Asked['query']) => ({
  limit: Number(limit),
  offset: Number(offset),
})

async function listNotes({ kept, query }: Asked) {
  return (await kept.notes).list({ ...query, ...pageOf(query) })
}

interface NotesBody {
  readonly filter?: Filter
  readonly search?: string
  readonly limit?: number
  readonly offset?: number
}

async function queryNotes({ kept, body }: Asked) {
  const { filter, limit = 50, offset = 0, search } = body as NotesBody
  const fits = filter === undefined ? () => true : nameTest(filter)
  if (!fits) throw new NotKept('Which notes a filter fits cannot be judged offline; the list')
  return (await kept.notes).list({ ...(search !== undefined && { search }), fits, limit, offset })
}

async function noteOf({ kept, parts: [id = ''] }: Asked): Promise<KeptNote> {
  const note = (await kept.notes).find(id)
  if (!note) throw new NotKept('This note is not kept offline; it')
  return note
}

async function readNote(asked: Asked) {
  const { properties: _, excerpt: __, edited_at: ___, ...note } = await noteOf(asked)
  const draft = (await asked.kept.drafts).find(({ note: id }) => id === note.id)
  if (draft) return { note: { ...note, ...draft.base, tags: note.tags } }
  const content = (await asked.kept.notes).texts.get(note.id)
  if (content === undefined) throw new NotKept(`Of “${note.title}” only the title is kept offline; its text`)
  return { note: { ...note, content } }
}

async function readProperties(asked: Asked) {
  const { id, properties } = await noteOf(asked)
  const isWhole = (await asked.kept.notes).texts.has(id)
  if (!properties && !isWhole) throw new NotKept('The properties of this note are not kept offline; the list')
  return { properties: properties ?? {} }
}

async function readLinks(asked: Asked) {
  const { id } = await noteOf(asked)
  return (await asked.kept.notes).links(id)
}

async function readView({ parts: [id] }: Asked) {
  const { views } = await saved<{ views: { id: string }[] }>('/v1/views')
  const view = views.find((one) => one.id === id)
  if (!view) throw new NotKept('This view is not kept offline; it')
  return { view }
}

async function saved<Response extends object>(path: string): Promise<Response> {
  const found = await (await database()).get('answers', path)
  if (!found) throw new NotKept('This is not kept offline; it')
  return found as Response
}

async function structureNamed(nameOrId: string): Promise<Structure> {
  const { structures } = await saved<{ structures: Structure[] }>('/v1/records/structures')
  const found = structures.find(({ id, name }) => id === nameOrId || name === nameOrId)
  if (!found) throw new NotKept('This table is not kept offline; it')
  return found
}

const readStructure = async ({ parts: [nameOrId = ''] }: Asked) => ({
  structure: await structureNamed(nameOrId),
})

const isWhole = ({ since }: Mark): boolean => since !== undefined

async function listRows({ kept, query }: Asked) {
  if (query.deleted === 'true') throw new NotKept('Deleted rows are not kept offline; the list')
  const structure = await structureNamed(query.structure ?? '')
  const mark = kept.marks.find((one) => one.structure === structure.id)
  if (!mark || !isWhole(mark))
    throw new NotKept(
      mark?.problem
        ? `${mark.problem}; the list`
        : `The rows of ${structure.name} are not kept offline: choose “Keep offline” in their menu while the server is there. The list`,
    )
  return (await kept.rows(structure)).list({ ...query, ...pageOf(query) })
}

async function readRow({ kept, parts: [id = ''] }: Asked) {
  for (const { structure } of kept.marks) {
    const found = await (await database()).get('rows', [structure, id])
    if (found) return { record: found.row, structure_id: structure }
  }
  throw new NotKept('This row is not kept offline; it')
}

/** Reads by their method and path, of which a part in braces may be anything. */
const ANSWERS: readonly (readonly [form: RegExp, answer: Answer])[] = [
  [/^GET \/v1\/notes$/, listNotes],
  [/^POST \/v1\/notes\/query$/, queryNotes],
  [/^GET \/v1\/notes\/(?!trash$)([^/]+)$/, readNote],
  [/^GET \/v1\/notes\/([^/]+)\/properties$/, readProperties],
  [/^GET \/v1\/notes\/([^/]+)\/links$/, readLinks],
  [/^GET \/v1\/notes\/([^/]+)\/tags$/, async (asked) => ({ tags: (await noteOf(asked)).tags })],
  [/^GET \/v1\/views\/([^/]+)$/, readView],
  [/^GET \/v1\/records$/, listRows],
  [/^GET \/v1\/records\/structures\/([^/]+)$/, readStructure],
  [/^GET \/v1\/records\/(?!structures$|views$|board$|summary$|watch$)([^/]+)$/, readRow],
]

/** Why a read cannot be answered here, by its path. */
const NOT_KEPT: readonly (readonly [path: RegExp, what: string])[] = [
  [/^\/v1\/notes\/trash/, 'The trash is not kept offline; it'],
  [/^\/v1\/views\/[^/]+\/notes$/, 'Which notes a view shows cannot be judged offline; it'],
  [/\/revisions/, 'Earlier versions are not kept offline; the list of them'],
  [/\/mentions$/, 'What mentions this note is not kept offline; it'],
  [/\/(?:summary|board)$/, 'Counts and boards of rows cannot be made offline; this one'],
  [/\/history$/, 'The history of a row is not kept offline; it'],
  [/^\/v1\/notes\/[^/]+\/files$/, 'The files of this note are not kept offline; the list'],
  [/^\/v1\/files/, 'Files are not kept offline; this'],
]

/**
 * Answers a read of the workspace that is shown; undefined where nothing of it is kept. Throws what the server would refuse
 * it with, or `NotKept`.
 */
export async function answerFromCopy(
  method: string,
  address: string,
  body: unknown,
): Promise<object | undefined> {
  const found = await present()
  if (!found) return undefined
  const { pathname: path, searchParams } = new URL(address, location.origin)
  for (const [form, answer] of ANSWERS) {
    const match = form.exec(`${method} ${path}`)
    if (!match) continue
    const parts = match.slice(1).map(decodeURIComponent)
    const query = Object.fromEntries(searchParams)
    try {
      return await answer({ kept: found, path, parts, query, body })
    } catch (error) {
      throw error instanceof Refusal ? new Refused(400, error.code, error.message, undefined) : error
    }
  }
  const saved = method === 'GET' ? await (await database()).get('answers', address) : undefined
  if (saved) return saved
  const [, what = 'This is not kept offline; it'] = NOT_KEPT.find(([form]) => form.test(path)) ?? []
  throw new NotKept(what)
}
