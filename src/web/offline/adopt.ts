import type { Draft } from '../data/note-text.ts'
import type { EntryKey, Owner } from '../data/pending-cells.ts'
import { TAB } from '../data/tabs.ts'
import { onCleared } from './database.ts'
import { startCells, syncCells } from './pending-cells.ts'
import { entryKeyOf, moveDrafts, putDraft, removeDraft } from './queue.ts'
import { type AdoptedDraft, onTabMessage, postToTabs } from './tab-messages.ts'
import { areOthersOpen, openTabs, watchTabs } from './tabs.ts'

interface Adopter {
  /** Whether a note has unsaved edits in this tab. */
  readonly isOpen: (note: string) => boolean
  readonly take: (draft: Draft) => void
  /** Releases a note that another tab adopted, unless it is shown here, or discards its edits. */
  readonly give: (note: string, isDiscarded: boolean) => void
}

/** Has another tab discard an edit. */
export const requestDiscard = ({ name, tab }: EntryKey): void =>
  postToTabs('adopted', [{ name, tab, isDiscarded: true }])

/**
 * Adopts the drafts of closed tabs, and, for the note on the screen, those of tabs that do not show it. Returns whether
 * drafts remain because the same notes are being edited here.
 */
async function adopt(
  owner: Owner,
  shown: string | undefined,
  { isOpen, take, give }: Adopter,
): Promise<boolean> {
  onTabMessage('adopted', (adopted) => releaseNotes(adopted, give))
  const alive = await openTabs()
  let isLeft = false
  const notes = new Set<string>()
  const drafts = await moveDrafts(owner, TAB, ({ tab, note, isShown }) => {
    const isIdle = note === shown && isShown === false
    if (alive.has(tab) && (tab === TAB || !isIdle)) return false
    const isTwice = isOpen(note) || notes.has(note)
    isLeft ||= isTwice
    notes.add(note)
    return !isTwice
  })
  for (const draft of drafts) take(draft)
  const fromOthers = drafts.map(entryKeyOf).filter(({ tab }) => alive.has(tab))
  if (fromOthers.length > 0)
    postToTabs(
      'adopted',
      fromOthers.map(({ name, tab }) => ({ name, tab })),
    )
  return isLeft
}

/** Releases notes that another tab adopted or discarded. */
function releaseNotes(entries: readonly AdoptedDraft[], give: Adopter['give']): void {
  for (const { name, tab, isDiscarded = false } of entries) {
    const [kind, id = ''] = name.split(' ')
    if (tab === TAB && kind === 'note') give(id, isDiscarded)
  }
}

interface Starter {
  readonly onTabClosed: () => void
  /** Stores all drafts of this tab again, after the browser has cleared its storage. */
  readonly storeAgain: () => void
}

/** Starts the exchange with other tabs. Must precede the first draft: other tabs do not adopt drafts of an open tab. */
function start({ onTabClosed, storeAgain }: Starter): void {
  watchTabs(() => {
    onTabClosed()
    syncCells().catch(() => undefined)
  })
  onCleared(storeAgain)
  startCells()
}

/** The drafts of all tabs, for the one that imports this file. */
export const tabDrafts = { start, adopt, put: putDraft, remove: removeDraft, areOthersOpen }
