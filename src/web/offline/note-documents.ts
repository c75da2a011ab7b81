import { effect, signal, untracked } from '@preact/signals'
import {
  type Draft,
  type DraftKey,
  hasSameText,
  NOT_MADE,
  type NoteText,
  type NoteVersion,
} from '../data/note-text.ts'
import { discarders, pendingCount, savers, setNotice } from '../data/pending.ts'
import { isSignedOut, Unreachable, unreachableSince } from '../data/request.ts'
import { SaveQueue, type UnsavedEdits } from '../data/save-queue.ts'
import { sendInOrder } from '../data/sending.ts'
import { session } from '../data/session.ts'
import { sessionKey } from '../data/session-key.ts'
import { TAB } from '../data/tabs.ts'

type Drafts = typeof import('./adopt.ts').tabDrafts

/** The draft storage, once its code is loaded, so that a draft is stored synchronously with the key press. */
let loadedDrafts: Drafts | undefined

async function drafts(): Promise<Drafts> {
  if (loadedDrafts) return loadedDrafts
  const { tabDrafts } = await import('./adopt.ts')
  if (!loadedDrafts)
    tabDrafts.start({
      onTabClosed: () => void adoptInTurn(),
      storeAgain: () => {
        for (const { queue } of ownDocuments()) queue.keepAgain()
      },
    })
  loadedDrafts = tabDrafts
  return tabDrafts
}

/** Loads the code that saves notes, which is needed only after the first edit. */
const saving = () => import('../data/saved-notes.ts')

/** A note that is open in this tab or has unsaved edits. */
export interface NoteDocument {
  readonly id: string
  readonly user: string
  readonly workspace: string
  readonly queue: SaveQueue
}

/** By session and note ID, in the order in which they were opened. */
const documents = signal<ReadonlyMap<string, NoteDocument>>(new Map())

/** Why drafts cannot be stored in this browser; undefined if they can. */
export const draftsRefusal = signal<string | undefined>(undefined)

/** When the last draft was stored in this browser. */
export const draftStoredAt = signal<number | undefined>(undefined)

type Owner = Pick<NoteDocument, 'user' | 'workspace'>

const owner = (): Owner | null | undefined => {
  const current = session.peek()
  return current && { user: current.user.id, workspace: current.workspace.id }
}

const nameOf = ({ user, workspace, id }: Owner & Pick<NoteDocument, 'id'>) => `${user} ${workspace} ${id}`

const isOwn = ({ user, workspace }: Owner): boolean => sessionKey.peek() === `${user} ${workspace}`

/** The documents of the current user and workspace. Others may remain from another user of this tab. */
export const ownDocuments = (): NoteDocument[] => [...documents.value.values()].filter(isOwn)

export function findDocument(id: string): NoteDocument | undefined {
  const current = owner()
  return current ? documents.value.get(nameOf({ ...current, id })) : undefined
}

/** Opens a note with the saved version, or continues with the open or pending one. */
export function openDocument(id: string, version: NoteVersion): void {
  const open = findDocument(id)
  const current = owner()
  if (open) open.queue.receive(version)
  else if (current) addDocument({ ...current, id }, version, undefined)
}

/** The notes on the screen. */
const shown = new Set<string>()

/** Marks a note as shown, until the returned function is called. */
export function showDocument(id: string): () => void {
  shown.add(id)
  setConflictNotice(id)
  return () => leaveDocument(id)
}

/** Shows a notice on every screen about a note that cannot be saved until its conflict is resolved. */
function setConflictNotice(id: string): void {
  const { state, text } = findDocument(id)?.queue ?? {}
  const kind = state?.peek().kind
  const isNotified = !shown.has(id) && (kind === 'conflict' || kind === 'refused')
  setNotice(`note ${id}`, isNotified ? `Not saved: ${text?.peek().title}.` : undefined, `/app/notes/${id}`)
}

/** Saves a note that is no longer shown; its document remains until the save is acknowledged. */
function leaveDocument(id: string): void {
  shown.delete(id)
  for (const left of documents.peek().values()) {
    if (left.id !== id) continue
    void left.queue.flush()
    setConflictNotice(id)
    if (!left.queue.isUnsaved) forget(left)
  }
}

/** Saves the edits of a note, including stored drafts. Resolves when they are saved or cannot be saved now. */
export const saveDocument = (id: string): Promise<void> =>
  draftsLoaded().then(() => findDocument(id)?.queue.flush())

function forget(document: NoteDocument): void {
  const left = new Map(documents.peek())
  left.delete(nameOf(document))
  documents.value = left
  setNotice(`note ${document.id}`, undefined)
  if (!isLeftOver) return
  isLeftOver = false
  void adoptInTurn()
}

/** Creates a note. It is available immediately, even if the server cannot be reached. */
export function createDocument(id: string, text: NoteText, tags: readonly string[]): void {
  const current = owner()
  const base = { title: '', content: '', updated_at: NOT_MADE }
  if (current) addDocument({ ...current, id }, base, { text, sent: [], tags, at: Date.now() })
}

function addDocument(
  { id, user, workspace }: Owner & Pick<NoteDocument, 'id'>,
  base: NoteVersion,
  draft: Pick<Draft, 'text' | 'sent' | 'tags' | 'at' | 'isDelayed'> | undefined,
): SaveQueue {
  const tags = draft?.tags ?? []
  /** The last edit and its time, and whether sending it is delayed. */
  const typed = { text: draft?.text ?? base, at: draft?.at ?? 0, isDelayed: draft?.isDelayed === true }
  const setDelayed = (isDelayed: boolean) => {
    if (typed.isDelayed === isDelayed) return
    typed.isDelayed = isDelayed
    saver.keepAgain()
  }
  const keep = keeperOf({ user, workspace, note: id, tab: TAB }, tags)
  const saver = new SaveQueue(
    base,
    {
      save: async (changes, ifUnchanged) => {
        const send = async () => {
          if (!isOwn({ user, workspace }))
            throw new Error('This note belongs to another workspace. Open that workspace to save.')
          return (await saving()).saveNote(id, changes, ifUnchanged, tags)
        }
        try {
          const saved = await sendInOrder(typed.at, send)
          setDelayed(false)
          return saved
        } catch (error) {
          setDelayed(error instanceof Unreachable)
          throw error
        }
      },
      read: async () => (await saving()).readVersion(id),
      keep: (kept) => {
        if (kept && !hasSameText(kept.text, typed.text))
          Object.assign(typed, { text: kept.text, at: Date.now() })
        void keep(kept, typed)
        if (!kept) void keepSaved(id, saver.base)
      },
      later: (act, ms) => {
        const timer = setTimeout(act, ms)
        return () => clearTimeout(timer)
      },
      onUnsaved: (isUnsaved) => {
        pendingCount.value += isUnsaved ? 1 : -1
        if (!isUnsaved && !shown.has(id)) forget(opened)
      },
    },
    draft,
  )
  const opened = { id, user, workspace, queue: saver }
  documents.value = new Map(documents.peek()).set(nameOf(opened), opened)
  saver.state.subscribe(() => setConflictNotice(id))
  return saver
}

/** Updates the offline copy with the saved version. If that fails, the change feed will update it. */
const keepSaved = (id: string, saved: NoteVersion): Promise<void> =>
  import('./copy.ts').then(({ keepSavedNote }) => keepSavedNote(id, saved)).catch(() => {})

/** Stores each draft immediately, because the tab may be closed at any time. */
function keeperOf(key: DraftKey, tags: readonly string[]) {
  return async (draft: UnsavedEdits | undefined, typed: Pick<Draft, 'at' | 'isDelayed'>) => {
    // Drafts of another user are not stored during this session.
    if (session.peek() && session.peek()?.user.id !== key.user) return
    try {
      const stored = loadedDrafts ?? (await drafts())
      if (!draft) return await stored.remove(key)
      const { at, isDelayed = false } = typed
      const isShown = shown.has(key.note)
      await stored.put({ ...key, ...draft, at, isDelayed, isShown, ...(tags.length > 0 && { tags }) })
      draftStoredAt.value = Date.now()
      draftsRefusal.value = undefined
    } catch (error) {
      draftsRefusal.value = `Drafts can’t be stored in this browser (${(error as Error).message}). Stay on this page until the note is saved.`
    }
  }
}

/** Adopts the drafts of closed tabs and saves them, oldest first. */
async function adoptDrafts(shownNote: string | undefined): Promise<void> {
  const current = owner()
  if (!current) return
  const { adopt } = await drafts()
  isLeftOver = await adopt(current, shownNote, {
    isOpen: (id) => documents.peek().has(nameOf({ ...current, id })),
    // With the owner from before the adoption: another user may have signed in since.
    take: (draft) => void addDocument({ ...current, id: draft.note }, draft.base, draft).flush(),
    give: (id, isDiscarded) => (shown.has(id) && !isDiscarded) || findDocument(id)?.queue.discard(),
  })
}

/** Whether a draft of a closed tab cannot be adopted until the same note is saved here. */
let isLeftOver = false

let ready: Promise<void> | undefined

/**
 * Resolves once the drafts of closed tabs are adopted, and, for the note on the screen, those of tabs that do not show it.
 */
export function draftsLoaded(shownNote?: string): Promise<void> {
  ready ??= adoptInTurn()
  return loadedDrafts?.areOthersOpen() ? ready.then(() => adoptInTurn(shownNote)) : ready
}

let adopting: Promise<void> = Promise.resolve()

/** Adopts drafts, once earlier calls have adopted theirs. Without storage there are none. */
function adoptInTurn(shownNote?: string): Promise<void> {
  adopting = adopting.then(() => adoptDrafts(shownNote)).catch(() => {})
  return adopting
}

/** Starts storing drafts in this tab, and sends pending ones after each sign-in. */
export function startDocuments(): void {
  drafts().catch(() => {})
  effect(() => {
    if (!session.value || isSignedOut.value) return
    ready = undefined
    void draftsLoaded()
    void untracked(flushAll)
  })
  effect(() => {
    if (unreachableSince.value === undefined) void untracked(flushAll)
  })
  addEventListener('pagehide', flushAll)
  addEventListener('online', flushAll)
  savers.add(flushAll)
  discarders.add((except) => {
    const all = [...documents.peek()]
    for (const [, { user, queue }] of all) if (user !== except) queue.discard()
    // Notes on the screen remain, with their saved version.
    documents.value = new Map(all.filter(([, { id, user }]) => user === except || shown.has(id)))
  })
}

const flushAll = (): Promise<unknown> => Promise.all(ownDocuments().map(({ queue }) => queue.flush()))
