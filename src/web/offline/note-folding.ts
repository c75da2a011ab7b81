import { type NoteEdit, type NoteEntry, withEdit } from '../data/note-text.ts'
import { setNotice } from '../data/pending.ts'
import type { EntryKey, Owner } from '../data/pending-cells.ts'
import { TAB } from '../data/tabs.ts'
import { database } from './database.ts'
import { forget, type LastEdit, listLast } from './last-edits.ts'
import { isOwn } from './note-documents.ts'
import {
  baseKeyOf,
  editOf,
  entryKeyOf,
  entryOf,
  lostOf,
  type NoteKey,
  nameOfBase,
  type StoredBase,
  type StoredNote,
  storedOf,
} from './note-store.ts'
import { openTabs } from './open-tabs.ts'
import { entriesOf, keyOf, NO_TAB, notifyWritten } from './queue.ts'
import { postToTabs } from './tab-messages.ts'

/* Merges the edits of other tabs into the entries of their notes, most of them of tabs that were closed. */

/** An entry of the outbox with its note. */
export interface PendingNote extends NoteKey, NoteEntry {}

interface Entry {
  readonly entry: NoteEntry
  readonly folded: Readonly<Record<string, number>>
}

/** An edit of a tab. Drafts of an earlier version are not edits of an entry: their tab sends or removes them. */
interface Edit {
  readonly note: string
  readonly tab: string | undefined
  readonly edit: NoteEdit
}

const nameOf = (key: EntryKey) => keyOf(key).join(' ')

/** The stored notes of one user in one workspace. */
interface Stored {
  readonly notes: readonly StoredNote[]
  /** Drafts of closed tabs of an earlier version. */
  readonly drafts: readonly StoredNote[]
  readonly bases: readonly StoredBase[]
  readonly left: readonly LastEdit[]
}

const contentsOf = (bases: readonly StoredBase[]) =>
  new Map(bases.map((base) => [nameOf(base), base.content]))

/** The entries, edits and drafts whose bases are missing. This tab stores the base of its own edit again. */
function lostIn({ notes, drafts, bases }: Stored): StoredNote[] {
  const contents = contentsOf(bases)
  return [
    ...notes.filter((stored) => stored.tab !== TAB && !contents.has(nameOf(baseKeyOf(stored, stored.base)))),
    ...drafts.filter((draft) => !contents.has(nameOf(draft))),
  ]
}

function entriesIn({ notes, bases }: Stored): Map<string, Entry> {
  const contents = contentsOf(bases)
  return new Map(
    notes.flatMap((stored) => {
      const content = contents.get(nameOf(baseKeyOf(stored, stored.base)))
      if (stored.tab !== NO_TAB || content === undefined) return []
      return [[stored.note, { entry: entryOf(stored, content), folded: stored.folded ?? {} }] as const]
    }),
  )
}

/** The edits that are not part of an entry, oldest first. This tab merges its own. */
function editsIn({ notes, drafts, bases, left }: Stored): Edit[] {
  const contents = contentsOf(bases)
  const edits = new Map<string, Edit>()
  for (const stored of notes) {
    if (stored.tab === NO_TAB || stored.tab === TAB) continue
    const content = contents.get(nameOf(baseKeyOf(stored, stored.base)))
    if (content === undefined) continue
    edits.set(nameOf(stored), { note: stored.note, tab: stored.tab, edit: editOf(stored, content) })
  }
  for (const stored of drafts) {
    const content = contents.get(nameOf(stored))
    if (content === undefined) continue
    edits.set(nameOf(stored), { note: stored.note, tab: undefined, edit: editOf(stored, content) })
  }
  for (const { key, edit } of left) {
    const [kind, note = ''] = key.name.split(' ')
    const known = edits.get(nameOf(key))
    const isLater = !known || known.tab === undefined || known.edit.count < edit.count
    if (isLater) edits.set(nameOf(key), { note, tab: kind === 'text' ? key.tab : undefined, edit })
  }
  return [...edits.values()].sort((one, other) => one.edit.at - other.edit.at)
}

const LOST = 'A change of a note cannot be merged. Copy its text or discard it.'

/** Merges the edits of other tabs into the entries of a user in a workspace, and returns these, oldest first. */
export async function foldNotes(owner: Owner): Promise<PendingNote[]> {
  const { user, workspace } = owner
  const open = await openTabs()
  const left = listLast(owner)
  const transaction = (await database()).transaction(['queue', 'bases'], 'readwrite')
  const [queue, bases] = [transaction.objectStore('queue'), transaction.objectStore('bases')]
  const fold = async () => {
    const [notes, drafts, contents] = await Promise.all([
      queue.getAll(entriesOf('text', user, workspace)) as Promise<StoredNote[]>,
      queue.getAll(entriesOf('note', user, workspace)) as Promise<StoredNote[]>,
      bases.getAll(IDBKeyRange.bound([user, workspace], [user, workspace, []])),
    ])
    const stored = { notes, drafts: drafts.filter(({ tab }) => !open.has(tab)), bases: contents, left }
    const lost = lostIn(stored)
    for (const edit of lost) {
      void queue.delete(keyOf(edit))
      void queue.put(lostOf(edit))
    }
    const entries = entriesIn(stored)
    const edits = editsIn(stored)
    const changed = new Set<string>()
    for (const { note, tab, edit } of edits) {
      const { entry, folded = {} } = entries.get(note) ?? {}
      if (tab !== undefined) void queue.delete(keyOf(entryKeyOf({ ...owner, note }, tab)))
      if (tab !== undefined && edit.count <= (folded[tab] ?? 0)) continue
      const next = tab === undefined ? folded : { ...folded, [tab]: edit.count }
      entries.set(note, { entry: withEdit(entry, edit), folded: next })
      changed.add(note)
    }
    for (const draft of stored.drafts) {
      void queue.delete(keyOf(draft))
      void bases.delete(keyOf(draft))
    }
    for (const note of changed) {
      const key = { ...owner, note }
      const { entry, folded } = entries.get(note) as Entry
      void bases.put({ ...baseKeyOf(key, entry.base), content: entry.base.content })
      void queue.put({ ...storedOf(key, NO_TAB, entry), folded })
    }
    const own = notes.filter(({ tab }) => tab === TAB).map((edit) => nameOf(baseKeyOf(edit, edit.base)))
    const needed = [...entries].map(([note, { entry }]) => nameOfBase({ ...owner, note }, entry.base))
    const isNeeded = new Set([...own, ...needed])
    // An entry leaves its base behind, because another tab may be storing an edit of it.
    for (const base of contents)
      if (base.name.startsWith('text ') && !isNeeded.has(nameOf(base))) void bases.delete(keyOf(base))
    const lostCount = await queue.count(entriesOf('lost', user, workspace))
    transaction.commit()
    return { entries, changed, lost, lostCount }
  }
  const [{ entries, changed, lost, lostCount }] = await Promise.all([fold(), transaction.done])
  for (const { key } of left) forget(nameOf(key), undefined)
  for (const note of changed) postToTabs('edited', { ...entryKeyOf({ ...owner, note }), isDiscarded: false })
  if (changed.size > 0 || lost.length > 0) notifyWritten()
  if (isOwn(owner)) setNotice('lost edits', lostCount > 0 ? LOST : undefined, '/app/settings/offline')
  return [...entries]
    .map(([note, { entry }]): PendingNote => ({ ...owner, note, ...entry }))
    .sort((one, other) => one.at - other.at)
}
