import { signal } from '@preact/signals'
import { NoteDraft } from '../data/note-draft.ts'
import { NOT_MADE, type NoteEntry, type NoteText, type NoteVersion } from '../data/note-text.ts'
import { sendInOrder } from '../data/sending.ts'
import { session } from '../data/session.ts'
import { onCleared } from './database.ts'
import {
  currentDocumentOwner,
  type DocumentKey,
  documentName,
  documents,
  findDocument,
  forgetDocument,
  isOwn,
  isShownNote,
  ownDocuments,
  updatePending,
} from './note-documents.ts'
import { foldNotes } from './note-folding.ts'
import { discardNote, exchangeNote, forgetEdit, writeEdit } from './note-store.ts'
import { onTabClosed } from './open-tabs.ts'
import { startCells, syncCells } from './pending-cells.ts'
import { onTabMessage } from './tab-messages.ts'

/* Opens notes with their drafts, and stores their edits in the outbox. */

/** Loads the code that saves notes, which is needed only after the first edit. */
const saving = () => import('../data/saved-notes.ts')

/** Why drafts cannot be stored in this browser; undefined if they can. */
export const draftsRefusal = signal<string | undefined>(undefined)

/** When the last draft was stored in this browser. */
export const draftStoredAt = signal<number | undefined>(undefined)

/** Opens a note with the saved version, or continues with the open or pending one. */
export function openDocument(id: string, version: NoteVersion): void {
  const open = findDocument(id)
  const current = currentDocumentOwner()
  if (open) open.draft.receive(version)
  else if (current) addDocument({ ...current, id }, version, undefined)
}

/** Creates a note. It is available immediately, even if the server cannot be reached. */
export function createDocument(id: string, text: NoteText, tags: readonly string[]): void {
  const current = currentDocumentOwner()
  const base = { title: '', content: '', updated_at: NOT_MADE }
  if (current) addDocument({ ...current, id }, base, undefined, tags).edit(text)
}

function addDocument(
  document: DocumentKey,
  base: NoteVersion,
  entry: NoteEntry | undefined,
  tags: readonly string[] = entry?.tags ?? [],
): NoteDraft {
  const { id, user, workspace } = document
  const key = { user, workspace, note: id }
  const withTags = <Entry extends NoteEntry>(stored: Entry) =>
    tags.length > 0 ? { ...stored, tags } : stored
  const update = () => {
    // A draft with an entry is unsaved before it is among the documents.
    const opened = documents.peek().get(documentName(document))
    if (opened) updatePending(opened)
  }
  const write = (act: () => Promise<void>) => void storing(user, act).catch(() => {})
  const draft = new NoteDraft(
    base,
    {
      write: (edit) => write(() => writeEdit(key, withTags(edit))),
      exchange: (next) =>
        storing(user, () =>
          exchangeNote(key, (found, folded) => {
            const replaced = next(found, folded)
            return replaced && withTags(replaced)
          }),
        ),
      discard: () => write(() => discardNote(key)),
      inOrder: (at, send) =>
        sendInOrder(at, async () => {
          if (!isOwn(document))
            throw new Error('This note belongs to another workspace. Open that workspace to save.')
          await send()
        }),
      save: async (changes, ifUnchanged) => {
        const saved = await (await saving()).saveNote(id, changes, ifUnchanged, tags)
        void keepSaved(id, saved)
        return saved
      },
      read: async () => (await saving()).readVersion(id),
      later: (act, ms) => {
        const timer = setTimeout(act, ms)
        return () => clearTimeout(timer)
      },
      onUnsaved: (isUnsaved) => {
        update()
        if (!isUnsaved) forgetEdit(key)
        if (!isUnsaved && !isShownNote(id)) forgetDocument(document)
      },
    },
    entry,
  )
  documents.value = new Map(documents.peek()).set(documentName(document), { ...document, draft })
  draft.state.subscribe(update)
  return draft
}

/** Updates the offline copy with the saved version. If that fails, the change feed will update it. */
const keepSaved = (id: string, saved: NoteVersion): Promise<void> =>
  import('./copy.ts').then(({ keepSavedNote }) => keepSavedNote(id, saved)).catch(() => {})

/** Changes the outbox, unless another user is signed in meanwhile. Shows a notice if that fails. */
async function storing(user: string, act: () => Promise<void>): Promise<void> {
  if (session.peek() && session.peek()?.user.id !== user) return
  try {
    await act()
    draftStoredAt.value = Date.now()
    draftsRefusal.value = undefined
  } catch (error) {
    draftsRefusal.value = `Drafts can’t be stored in this browser (${(error as Error).message}). Stay on this page until the note is saved.`
    throw error
  }
}

/** Opens the pending notes of the outbox, which any tab sends, oldest first. */
export async function openPending(): Promise<void> {
  const current = currentDocumentOwner()
  if (!current) return
  for (const { note, ...entry } of await foldNotes(current)) {
    const document = { ...current, id: note }
    const open = documents.peek().get(documentName(document))
    // With the owner from before the list was read: another user may have signed in since.
    if (open) open.draft.sync(false)
    else addDocument(document, entry.base, entry)
  }
}

const openPendingSoon = () => void openPending().catch(() => undefined)

onTabMessage('edited', ({ user, workspace, name, isDiscarded }) => {
  const [, id = ''] = name.split(' ')
  const open = documents.peek().get(documentName({ user, workspace, id }))
  if (open) open.draft.sync(isDiscarded)
  else if (!isDiscarded && isOwn({ user, workspace })) openPendingSoon()
})
onTabClosed(() => {
  openPendingSoon()
  syncCells().catch(() => undefined)
})
onCleared(() => {
  for (const { draft } of ownDocuments()) draft.storeAgain()
})
startCells()
