import { effect, signal, untracked } from '@preact/signals'
import { api } from './api.ts'
import { listDrafts, putDraft, removeDraft } from './drafts.ts'
import type { Draft, DraftKey, NoteText, NoteVersion } from './note-text.ts'
import { pendingCount, savers } from './pending.ts'
import { isSignedOut } from './request.ts'
import { type Kept, SaveQueue } from './save-queue.ts'
import { session } from './session.ts'
import { whose } from './whose.ts'

/** This tab; its drafts are not another tab's to take up while it is open. */
const TAB = crypto.getRandomValues(new Uint32Array(4)).join('-')

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
export const draftKeptAt = signal<number | undefined>(undefined)

type Owner = Pick<NoteDocument, 'user' | 'workspace'>

const owner = (): Owner | null | undefined => {
  const present = session.peek()
  return present && { user: present.user.id, workspace: present.workspace.id }
}

const nameOf = ({ user, workspace, id }: Owner & Pick<NoteDocument, 'id'>) => `${user} ${workspace} ${id}`

const isOwn = ({ user, workspace }: Owner): boolean => whose.peek() === `${user} ${workspace}`

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
  return () => leaveDocument(id)
}

/** A note that is left is saved at once; it stays here until that is acknowledged. */
function leaveDocument(id: string): void {
  shown.delete(id)
  for (const left of documents.peek().values()) {
    if (left.id !== id) continue
    void left.queue.flush()
    if (!left.queue.isUnsaved) forget(left)
  }
}

/** Saves what is typed into a note; resolves when it is saved, or cannot be saved now. */
export const saveDocument = async (id: string): Promise<void> => findDocument(id)?.queue.flush()

function forget(document: NoteDocument): void {
  const left = new Map(documents.peek())
  left.delete(nameOf(document))
  documents.value = left
}

function addDocument(
  { id, user, workspace }: Owner & Pick<NoteDocument, 'id'>,
  base: NoteVersion,
  draft: Draft | undefined,
): SaveQueue {
  const saver = {
    save: async (changes: Partial<NoteText>, if_unchanged: string) => {
      if (!isOwn({ user, workspace }))
        throw new Error('This note belongs to another workspace; its draft waits here.')
      const body = { ...changes, if_unchanged, ...(changes.title !== undefined && { rewrite_links: true }) }
      return versionOf((await api.patch('/v1/notes/{id}', { params: { id }, body })).note)
    },
    read: async () => versionOf((await api.get('/v1/notes/{id}', { params: { id } })).note),
  }
  const queue = new SaveQueue(
    base,
    {
      ...saver,
      keep: keeperOf({ user, workspace, note: id, tab: TAB }),
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
  const opened = { id, user, workspace, queue }
  documents.value = new Map(documents.peek()).set(nameOf(opened), opened)
  return queue
}

const versionOf = ({ title, content, updated_at }: NoteVersion): NoteVersion => ({
  title,
  content,
  updated_at,
})

/** Writes each draft at once, as the tab may be closed with the next key; the browser keeps them in order. */
function keeperOf(key: DraftKey) {
  return async (draft: Kept | undefined) => {
    try {
      if (!draft) return await removeDraft(key)
      await putDraft({ ...key, ...draft, at: Date.now() })
      draftKeptAt.value = Date.now()
    } catch (error) {
      draftsRefusal.value = `This browser keeps no drafts (${(error as Error).message}); leave this page only when the note is saved.`
    }
  }
}

/** Takes up the drafts that closed tabs left behind, and saves them. */
export async function takeUpDrafts(): Promise<void> {
  const present = owner()
  if (!present) return
  const alive = await openTabs()
  for (const draft of await listDrafts(present.user, present.workspace)) {
    if (alive.has(draft.tab) || documents.peek().has(nameOf({ ...present, id: draft.note }))) continue
    await putDraft({ ...draft, tab: TAB })
    await removeDraft(draft)
    // Of whom it is, not of who may have signed in meanwhile.
    void addDocument({ ...present, id: draft.note }, draft.base, draft).flush()
  }
}

const lockOf = (tab: string) => `daybook-tab ${tab}`

/** Every tab holds a lock for as long as it is open; where the browser has none, only this tab is known. */
async function openTabs(): Promise<Set<string>> {
  const held = (await navigator.locks?.query())?.held ?? []
  return new Set([TAB, ...held.map(({ name }) => name?.slice(lockOf('').length) ?? '')])
}

let ready: Promise<void> | undefined

/** Resolves once the drafts that were left behind are taken up. */
export const draftsTaken = (): Promise<void> => (ready ??= takeUpDrafts().catch(() => undefined))

/** Starts keeping drafts for this tab; what waited is sent when somebody is signed in again. */
export function startDocuments(): void {
  void navigator.locks?.request(lockOf(TAB), () => new Promise(() => {}))
  effect(() => {
    if (!session.value || isSignedOut.value) return
    ready = undefined
    void draftsTaken()
    void untracked(flushAll)
  })
  addEventListener('pagehide', flushAll)
  addEventListener('online', flushAll)
  savers.add(flushAll)
}

const flushAll = (): Promise<unknown> => Promise.all(ownDocuments().map(({ queue }) => queue.flush()))
