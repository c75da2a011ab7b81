import { effect, signal, untracked } from '@preact/signals'
import type { NoteDraft } from '../data/note-draft.ts'
import { setPending, unsavedWork } from '../data/pending.ts'
import { isSignedOut, unreachableSince } from '../data/request.ts'
// Its effect must run before the ones here: when the server is back, it collects the edits to sort them.
import '../data/sending.ts'
import { session } from '../data/session.ts'
import { sessionKey } from '../data/session-key.ts'

/** Loads the code of drafts and of the outbox, which the list of notes does not need. */
const opening = () => import('./open-document.ts')

/** A note that is open in this tab or has unsaved edits. */
export interface NoteDocument {
  readonly id: string
  readonly user: string
  readonly workspace: string
  readonly draft: NoteDraft
}

/** By session and note ID, in the order in which they were opened. */
export const documents = signal<ReadonlyMap<string, NoteDocument>>(new Map())

export type DocumentOwner = Pick<NoteDocument, 'user' | 'workspace'>

export const currentDocumentOwner = (): DocumentOwner | null | undefined => {
  const current = session.peek()
  return current && { user: current.user.id, workspace: current.workspace.id }
}

export type DocumentKey = DocumentOwner & Pick<NoteDocument, 'id'>

export const documentName = ({ user, workspace, id }: DocumentKey) => `${user} ${workspace} ${id}`

export const isOwn = ({ user, workspace }: DocumentOwner): boolean =>
  sessionKey.peek() === `${user} ${workspace}`

/** The documents of the current user and workspace. Others may remain from another user of this tab. */
export const ownDocuments = (): NoteDocument[] => [...documents.value.values()].filter(isOwn)

export function findDocument(id: string): NoteDocument | undefined {
  const current = currentDocumentOwner()
  return current ? documents.value.get(documentName({ ...current, id })) : undefined
}

/** The panes of the screen: the note, and the one beside it. */
export type NotePlace = 'note' | 'beside'

/** The notes on the screen, with their panes. */
const shown = new Set<string>()

export const isShownNote = (id: string): boolean => shown.has(`note ${id}`) || shown.has(`beside ${id}`)

/** Marks a note as shown, until the returned function is called. */
export function showDocument(id: string, place: NotePlace = 'note'): () => void {
  shown.add(`${place} ${id}`)
  const document = findDocument(id)
  if (document) updatePending(document)
  return () => leaveDocument(id, place)
}

/** Updates whether a note is unsaved, and the notice about one that cannot be saved and is not on screen. */
export function updatePending(document: NoteDocument): void {
  const { id, draft } = document
  const { kind } = draft.state.peek()
  const isNoticed = !isShownNote(id) && isOwn(document) && (kind === 'conflict' || kind === 'refused')
  const problem = isNoticed ? `Not saved: ${draft.text.peek().title}.` : undefined
  const count = draft.isUnsaved ? 1 : 0
  setPending(`note ${documentName(document)}`, { count, problem, address: `/app/notes/${id}` })
}

/** Saves a note that is no longer shown; its document remains until the save is acknowledged. */
function leaveDocument(id: string, place: NotePlace): void {
  shown.delete(`${place} ${id}`)
  if (isShownNote(id)) return
  for (const left of documents.peek().values()) {
    if (left.id !== id) continue
    void left.draft.flush()
    updatePending(left)
    if (!left.draft.isUnsaved) forgetDocument(left)
  }
}

/** Saves the edits of a note, including stored drafts. Resolves when they are saved or cannot be saved now. */
export const saveDocument = (id: string): Promise<void> =>
  draftsLoaded().then(() => findDocument(id)?.draft.flush())

export function forgetDocument(document: DocumentKey): void {
  const left = new Map(documents.peek())
  left.delete(documentName(document))
  documents.value = left
}

/** Opens the pending notes. Without storage there are none. */
const openDocuments = (): Promise<void> =>
  opening()
    .then((opened) => opened.openPending())
    .catch(() => {})

let ready: Promise<void> | undefined

/** Resolves once the pending notes of the outbox are open. */
export function draftsLoaded(): Promise<void> {
  ready ??= openDocuments()
  return ready
}

/** Starts storing drafts in this tab, and sends pending ones after each sign-in. */
export function startDocuments(): void {
  effect(() => {
    if (!session.value || isSignedOut.value) return
    ready = undefined
    void draftsLoaded().then(flushAll)
  })
  effect(() => {
    if (unreachableSince.value === undefined) void untracked(flushAll)
  })
  addEventListener('pagehide', flushAll)
  addEventListener('online', flushAll)
  unsavedWork.add({
    save: flushAll,
    discard: (except) => {
      const all = [...documents.peek()]
      for (const [, { user, draft }] of all) if (user !== except) draft.discard()
      // Notes on the screen remain, with their saved version.
      documents.value = new Map(all.filter(([, { id, user }]) => user === except || isShownNote(id)))
    },
  })
}

const flushAll = (): Promise<unknown> => Promise.all(ownDocuments().map(({ draft }) => draft.flush()))
