import { effect, signal, untracked } from '@preact/signals'
import {
  type Draft,
  type DraftKey,
  hasSameText,
  NOT_MADE,
  type NoteText,
  type NoteVersion,
} from './note-text.ts'
import { discarders, keepers, pendingCount, savers, setNotice } from './pending.ts'
import { awaySince, isSignedOut } from './request.ts'
import { type Kept, SaveQueue } from './save-queue.ts'
import { sendInOrder } from './sending.ts'
import { session } from './session.ts'
import { sessionKey } from './session-key.ts'
import { TAB } from './tabs.ts'

type Queue = typeof import('../offline/queue.ts')

/** Where drafts are kept, once its code is there: a draft is written with the key that was pressed, not a moment after it. */
let loadedQueue: Queue | undefined

let hasOtherTabs: (() => boolean) | undefined

async function queue(): Promise<Queue> {
  if (loadedQueue) return loadedQueue
  const { areOthersOpen, watchTabs } = await import('../offline/tabs.ts')
  await import('../offline/pending-cells.ts')
  const loaded = await import('../offline/queue.ts')
  // Before this tab writes anything: what it keeps is not another tab's to take up.
  if (!loadedQueue) watchTabs(() => void takeUp())
  hasOtherTabs = areOthersOpen
  loadedQueue = loaded
  return loaded
}

/** What asks the server, which no screen needs before something is written. */
const saving = () => import('./saved-notes.ts')

/** A note that is open here or has something to be saved. */
export interface NoteDocument {
  readonly id: string
  readonly user: string
  readonly workspace: string
  readonly queue: SaveQueue
}

/** By whose they are and the id of the note, in the order in which they were opened. */
const documents = signal<ReadonlyMap<string, NoteDocument>>(new Map())

/** Why drafts cannot be kept in this browser, if they cannot. */
export const draftsRefusal = signal<string | undefined>(undefined)

/** When the last draft was kept in this browser. */
export const draftStoredAt = signal<number | undefined>(undefined)

type Owner = Pick<NoteDocument, 'user' | 'workspace'>

const owner = (): Owner | null | undefined => {
  const present = session.peek()
  return present && { user: present.user.id, workspace: present.workspace.id }
}

const nameOf = ({ user, workspace, id }: Owner & Pick<NoteDocument, 'id'>) => `${user} ${workspace} ${id}`

const isOwn = ({ user, workspace }: Owner): boolean => sessionKey.peek() === `${user} ${workspace}`

/** Those of who is signed in, in the workspace that is shown; another person who used this tab may have left some. */
export const ownDocuments = (): NoteDocument[] => [...documents.value.values()].filter(isOwn)

export function findDocument(id: string): NoteDocument | undefined {
  const present = owner()
  return present ? documents.value.get(nameOf({ ...present, id })) : undefined
}

/** Opens a note as the server holds it, or goes on with what is open or waits here. */
export function openDocument(id: string, version: NoteVersion): void {
  const open = findDocument(id)
  const present = owner()
  if (open) open.queue.receive(version)
  else if (present) addDocument({ ...present, id }, version, undefined)
}

/** The notes that are on the screen. */
const shown = new Set<string>()

/** Keeps what is typed into a note here while it is shown, until the function that is returned is called. */
export function showDocument(id: string): () => void {
  shown.add(id)
  tellUnsettled(id)
  return () => leaveDocument(id)
}

/** Tells on every screen of a note that cannot be saved before somebody has looked at it. */
function tellUnsettled(id: string): void {
  const { state, text } = findDocument(id)?.queue ?? {}
  const kind = state?.peek().kind
  const isTold = !shown.has(id) && (kind === 'conflict' || kind === 'refused')
  setNotice(`note ${id}`, isTold ? `Not saved: ${text?.peek().title}.` : undefined, `/app/notes/${id}`)
}

/** A note that is left is saved at once; it stays here until that is acknowledged. */
function leaveDocument(id: string): void {
  shown.delete(id)
  for (const left of documents.peek().values()) {
    if (left.id !== id) continue
    void left.queue.flush()
    tellUnsettled(id)
    if (!left.queue.isUnsaved) forget(left)
  }
}

/** Saves what is typed into a note, also before this page was loaded; resolves when it is saved, or cannot be saved now. */
export const saveDocument = (id: string): Promise<void> =>
  draftsLoaded().then(() => findDocument(id)?.queue.flush())

function forget(document: NoteDocument): void {
  const left = new Map(documents.peek())
  left.delete(nameOf(document))
  documents.value = left
  setNotice(`note ${document.id}`, undefined)
  if (!isLeftOver) return
  isLeftOver = false
  void takeUp()
}

/** Makes a new note of what is typed; it is there at once, whether or not the server is. */
export function createDocument(id: string, text: NoteText, tags: readonly string[]): void {
  const present = owner()
  const base = { title: '', content: '', updated_at: NOT_MADE }
  if (present) addDocument({ ...present, id }, base, { text, sent: [], tags, at: Date.now() })
}

function addDocument(
  { id, user, workspace }: Owner & Pick<NoteDocument, 'id'>,
  base: NoteVersion,
  draft: Pick<Draft, 'text' | 'sent' | 'tags' | 'at'> | undefined,
): SaveQueue {
  const tags = draft?.tags ?? []
  /** What was typed last, and when. */
  const typed = { text: draft?.text ?? base, at: draft?.at ?? 0 }
  const keep = keeperOf({ user, workspace, note: id, tab: TAB }, tags)
  const saver = new SaveQueue(
    base,
    {
      save: (changes, ifUnchanged) =>
        sendInOrder(typed.at, async () => {
          if (!isOwn({ user, workspace }))
            throw new Error('This note belongs to another workspace; its draft waits here.')
          return (await saving()).saveNote(id, changes, ifUnchanged, tags)
        }),
      read: async () => (await saving()).readVersion(id),
      keep: (kept) => {
        if (kept && !hasSameText(kept.text, typed.text))
          Object.assign(typed, { text: kept.text, at: Date.now() })
        void keep(kept, typed.at)
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
  saver.state.subscribe(() => tellUnsettled(id))
  return saver
}

/** Has what is read offline be what was saved here; where that cannot be, the feed brings it up to date. */
const keepSaved = (id: string, saved: NoteVersion): Promise<void> =>
  import('../offline/copy.ts').then(({ keepSavedNote }) => keepSavedNote(id, saved)).catch(() => {})

/** Writes each draft at once, as the tab may be closed with the next key; the browser keeps them in order. */
function keeperOf(key: DraftKey, tags: readonly string[]) {
  return async (draft: Kept | undefined, at: number) => {
    // What somebody else left is not kept for this person's eyes.
    if (session.peek() && session.peek()?.user.id !== key.user) return
    try {
      const { putDraft, removeDraft } = loadedQueue ?? (await queue())
      if (!draft) return await removeDraft(key)
      await putDraft({ ...key, ...draft, at, isShown: shown.has(key.note), ...(tags.length > 0 && { tags }) })
      draftStoredAt.value = Date.now()
      draftsRefusal.value = undefined
    } catch (error) {
      draftsRefusal.value = `This browser keeps no drafts (${(error as Error).message}); leave this page only when the note is saved.`
    }
  }
}

/** What is shown in this tab: a note, or a structure. */
export interface Subject {
  readonly note?: string
  readonly structure?: string
}

/** Takes up what closed tabs left behind, and saves it in the order in which it was written. */
async function takeUpDrafts(subject: Subject): Promise<void> {
  const present = owner()
  if (!present) return
  await queue()
  const { takeUp } = await import('../offline/take-up.ts')
  isLeftOver = await takeUp(present, subject, {
    isOpen: (id) => documents.peek().has(nameOf({ ...present, id })),
    // Of whom it is, not of who may have signed in meanwhile.
    take: (draft) => void addDocument({ ...present, id: draft.note }, draft.base, draft).flush(),
    give: (id, isGivenUp) => (shown.has(id) && !isGivenUp) || findDocument(id)?.queue.discard(),
  })
}

/** Whether a draft of a closed tab waits until the same note is no longer written into here. */
let isLeftOver = false

let ready: Promise<void> | undefined

/**
 * Resolves once the drafts that were left behind are taken up; of what is shown here, also those of tabs that show it
 * not.
 */
export function draftsLoaded(subject: Subject = {}): Promise<void> {
  ready ??= takeUp()
  return hasOtherTabs?.() ? ready.then(() => takeUp(subject)) : ready
}

/** One tab at a time takes up what others left. */
async function takeUp(subject: Subject = {}): Promise<void> {
  const act = () => takeUpDrafts(subject)
  try {
    if (navigator.locks) await navigator.locks.request('daybook-queue', act)
    else await act()
  } catch {
    // A browser that keeps nothing has nothing to be taken up.
  }
}

/** Starts keeping drafts for this tab; what waited is sent when somebody is signed in again. */
export function startDocuments(): void {
  queue().catch(() => {})
  effect(() => {
    if (!session.value || isSignedOut.value) return
    ready = undefined
    void draftsLoaded()
    void untracked(flushAll)
  })
  effect(() => {
    if (awaySince.value === undefined) void untracked(flushAll)
  })
  addEventListener('pagehide', flushAll)
  addEventListener('online', flushAll)
  savers.add(flushAll)
  keepers.add(() => ownDocuments().map(({ queue }) => queue.keepAgain()))
  discarders.add((except) => {
    const all = [...documents.peek()]
    for (const [, { user, queue }] of all) if (user !== except) queue.discard()
    // What is on the screen stays there, as the server has it.
    documents.value = new Map(all.filter(([, { id, user }]) => user === except || shown.has(id)))
  })
}

const flushAll = (): Promise<unknown> => Promise.all(ownDocuments().map(({ queue }) => queue.flush()))
