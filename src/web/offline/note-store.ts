import type { Exchange } from '../data/draft-options.ts'
import {
  isSameEntry,
  type NoteEdit,
  type NoteEntry,
  type NoteText,
  type NoteVersion,
} from '../data/note-text.ts'
import type { EntryKey, Owner } from '../data/pending-cells.ts'
import { TAB } from '../data/tabs.ts'
import { database, onCleared } from './database.ts'
import { forget, type LastEdit, untilWritten, unwrittenEdit } from './last-edits.ts'
import { keyOf, NO_TAB, notifyWritten, writing } from './queue.ts'
import { postToTabs } from './tab-messages.ts'

/*
 * Notes in the outbox. The entry of a note belongs to no tab. An edit is first stored as an edit of its tab, because reading
 * the entry takes longer than closing a tab, and is then merged into the entry. Any tab merges the edits of closed ones.
 */

/** Identifies a note in the outbox. */
export interface NoteKey extends Owner {
  readonly note: string
}

/** A text as its difference to another content. */
interface Difference {
  readonly title: string
  /** The number of characters of the base before and after the inserted text. */
  readonly before: number
  readonly after: number
  readonly inserted: string
}

/** An entry, or an edit of one tab. Only the difference between its content and that of its base is stored. */
export interface StoredNote extends EntryKey, Difference, Omit<NoteEntry, 'base' | 'text'> {
  readonly note: string
  readonly base: Omit<NoteVersion, 'content'>
  /** The text that an edit was made in. Drafts of an earlier version have none. */
  readonly seen?: Difference
  readonly count?: number
  /** The numbers of the last edits that are part of an entry, by the tab that made them. */
  readonly folded?: Readonly<Record<string, number>>
}

/** The content of a version. Its key has the `updated_at` in place of the tab. */
export interface StoredBase extends EntryKey {
  readonly content: string
}

const nameOf = (note: string) => `text ${note}`
export const entryKeyOf = ({ user, workspace, note }: NoteKey, tab = NO_TAB): EntryKey => ({
  user,
  workspace,
  name: nameOf(note),
  tab,
})

/** The length of the common start of two texts, found by comparing halves, which is fast. */
function commonStart(one: string, other: string): number {
  let same = 0
  let most = Math.min(one.length, other.length)
  while (same < most) {
    const middle = Math.ceil((same + most) / 2)
    if (one.slice(same, middle) === other.slice(same, middle)) same = middle
    else most = middle - 1
  }
  return same
}

/** The length of the common end of two different texts. */
function commonEnd(one: string, other: string): number {
  let same = 0
  let most = Math.min(one.length, other.length)
  while (same < most) {
    const middle = Math.ceil((same + most) / 2)
    const [from, to] = [-middle, -same || undefined]
    if (one.slice(from, to) === other.slice(from, to)) same = middle
    else most = middle - 1
  }
  return same
}

function differenceOf(content: string, { title, content: text }: NoteText): Difference {
  const before = commonStart(content, text)
  const after = commonEnd(content.slice(before), text.slice(before))
  return { title, before, after, inserted: text.slice(before, text.length - after) }
}

const textOf = (content: string, { title, before, after, inserted }: Difference): NoteText => ({
  title,
  content: content.slice(0, before) + inserted + content.slice(content.length - after),
})

export function storedOf(key: NoteKey, tab: string, entry: NoteEntry & Partial<NoteEdit>): StoredNote {
  const {
    base: { content, ...base },
    text,
    seen,
    sent,
    at,
    tags,
    count,
  } = entry
  return {
    ...entryKeyOf(key, tab),
    note: key.note,
    base,
    ...differenceOf(content, text),
    sent,
    at,
    ...(tags && { tags }),
    ...(seen && { seen: differenceOf(content, seen), count }),
  }
}

/** An entry from its stored form. */
export function entryOf(stored: StoredNote, content: string): NoteEntry {
  const { base, sent, at, tags } = stored
  return { base: { ...base, content }, text: textOf(content, stored), sent, at, ...(tags && { tags }) }
}

/** An edit from its stored form. */
export function editOf(stored: StoredNote, content: string): NoteEdit {
  const { base, seen, count = 0 } = stored
  const before = seen ? textOf(content, seen) : { title: base.title, content }
  return { ...entryOf(stored, content), seen: before, count }
}

/** The key of an edit whose base is missing, so that only the text that it inserted is known. */
const lostKeyOf = (key: NoteKey, tab: string): EntryKey => ({
  ...entryKeyOf(key, tab),
  name: `lost ${key.note}`,
})

/** An edit whose base is missing. The user is shown what it inserted, until they discard it. */
export const lostOf = (stored: StoredNote): StoredNote => ({
  ...stored,
  ...lostKeyOf(stored, `${stored.tab} ${stored.at}`),
})

/** The versions whose contents are stored. Without an entry, other tabs remove them. */
const storedBases = new Set<string>()
onCleared(() => storedBases.clear())

export const baseKeyOf = (key: NoteKey, { updated_at }: Pick<NoteVersion, 'updated_at'>): EntryKey =>
  entryKeyOf(key, updated_at)

/** The name of the edit of this tab. */
const nameOfEdit = (key: NoteKey) => keyOf(entryKeyOf(key, TAB)).join(' ')

export const nameOfBase = (key: NoteKey, base: NoteVersion) => keyOf(baseKeyOf(key, base)).join(' ')

/** Stores an edit of this tab. Starts synchronously once the database is open. */
export function writeEdit(key: NoteKey, edit: NoteEdit): Promise<void> {
  const left = { key: entryKeyOf(key, TAB), edit }
  const name = nameOfBase(key, edit.base)
  const isBaseStored = storedBases.has(name)
  storedBases.add(name)
  const written = writing((store) => {
    store('queue').put(storedOf(key, TAB, edit))
    if (!isBaseStored) store('bases').put({ ...baseKeyOf(key, edit.base), content: edit.base.content })
  }).catch((error: Error) => {
    storedBases.delete(name)
    throw error
  })
  return untilWritten(nameOfEdit(key), left, written)
}

/** Replaces the entry of a note, and removes the edit of this tab, in one transaction. */
export async function exchangeNote(key: NoteKey, next: Exchange): Promise<void> {
  const transaction = (await database()).transaction(['queue', 'bases'], 'readwrite')
  const [queue, bases] = [transaction.objectStore('queue'), transaction.objectStore('bases')]
  let isChanged = false
  let included: LastEdit | undefined
  const exchange = async () => {
    const stored = (await queue.get(keyOf(entryKeyOf(key)))) as StoredNote | undefined
    const base = stored && (await bases.get(keyOf(baseKeyOf(key, stored.base))))
    if (stored && !base) throw new Error('the text before the edits is missing')
    const found = stored && entryOf(stored, base?.content ?? '')
    const replaced = next(found, stored?.folded?.[TAB])
    included = unwrittenEdit(nameOfEdit(key))
    isChanged = !found || !replaced || !isSameEntry(found, replaced)
    forgetBases(key)
    if (!replaced) void queue.delete(keyOf(entryKeyOf(key)))
    else {
      const isSameBase = stored?.base.updated_at === replaced.base.updated_at
      if (!isSameBase) void bases.put({ ...baseKeyOf(key, replaced.base), content: replaced.base.content })
      storedBases.add(nameOfBase(key, replaced.base))
    }
    if (replaced && (isChanged || included)) {
      // The write of this edit may follow. Its text must not be merged with that of later ones.
      const folded = { ...stored?.folded, ...(included && { [TAB]: included.edit.count }) }
      const tags = replaced.tags ?? found?.tags
      void queue.put({ ...storedOf(key, NO_TAB, { ...replaced, ...(tags && { tags }) }), folded })
    }
    isChanged &&= found !== undefined || replaced !== undefined
    // Last, because an error does not undo what precedes it.
    void queue.delete(keyOf(entryKeyOf(key, TAB)))
    // Another tab cannot merge an edit whose base is missing, but this one has its whole text.
    void queue.delete(IDBKeyRange.bound(keyOf(lostKeyOf(key, `${TAB} `)), keyOf(lostKeyOf(key, `${TAB}!`))))
    transaction.commit()
  }
  try {
    await Promise.all([exchange(), transaction.done])
  } catch (error) {
    forgetBases(key)
    throw error
  }
  // An edit since then is not part of the entry.
  forget(nameOfEdit(key), included)
  if (!isChanged) return
  postToTabs('edited', { ...entryKeyOf(key), isDiscarded: false })
  notifyWritten()
}

function forgetBases(key: NoteKey): void {
  const start = keyOf(entryKeyOf(key)).join(' ')
  for (const name of storedBases) if (name.startsWith(start)) storedBases.delete(name)
}

/** Removes an edit of this tab that was saved or discarded before its write finished, or whose write failed. */
export const forgetEdit = (key: NoteKey): void => forget(nameOfEdit(key), unwrittenEdit(nameOfEdit(key)))

/** Removes the entry of a note, with the edits of all tabs. */
export async function discardNote(key: NoteKey): Promise<void> {
  const { user, workspace, name } = entryKeyOf(key)
  await writing((store) =>
    store('queue').delete(IDBKeyRange.bound([user, workspace, name], [user, workspace, name, []])),
  )
  postToTabs('edited', { ...entryKeyOf(key), isDiscarded: true })
}
