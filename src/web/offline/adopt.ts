import type { Draft } from '../data/note-text.ts'
import type { EntryKey, Owner } from '../data/pending-cells.ts'
import { TAB } from '../data/tabs.ts'
import { entryKeyOf, listDrafts, putDraft, removeDraft, takeOldDrafts } from './queue.ts'
import { openTabs } from './tabs.ts'

interface Adopter {
  /** Whether a note has unsaved edits in this tab. */
  readonly isOpen: (note: string) => boolean
  readonly take: (draft: Draft) => void
  /** Releases a note that another tab adopted, unless it is shown here, or discards its edits. */
  readonly give: (note: string, isDiscarded: boolean) => void
}

interface AdoptedEntry extends Pick<EntryKey, 'name' | 'tab'> {
  readonly isDiscarded?: boolean
}

/** Notifies other tabs about adopted edits. */
const adopted = new BroadcastChannel('daybook-taken')

/** Has another tab discard an edit. */
export const requestDiscard = ({ name, tab }: EntryKey): void =>
  adopted.postMessage([{ name, tab, isDiscarded: true } satisfies AdoptedEntry])

/**
 * Adopts the drafts of closed tabs, and, for the note on the screen, those of tabs that do not show it. Returns whether
 * drafts remain because the same notes are being edited here.
 */
export async function adoptPendingEdits(
  { user, workspace }: Owner,
  shown: string | undefined,
  { isOpen, take, give }: Adopter,
): Promise<boolean> {
  adopted.onmessage = ({ data }) => releaseNotes(data, give)
  await takeOldDrafts()
  const alive = await openTabs()
  let isLeft = false
  const drafts: Draft[] = []
  for (const draft of await listDrafts(user, workspace)) {
    const isIdle = draft.note === shown && draft.isShown === false
    if (alive.has(draft.tab) && (draft.tab === TAB || !isIdle)) continue
    const isTwice = isOpen(draft.note) || drafts.some(({ note }) => note === draft.note)
    isLeft ||= isTwice
    if (isTwice) continue
    await putDraft({ ...draft, tab: TAB })
    await removeDraft(draft)
    drafts.push(draft)
  }
  for (const draft of drafts) take(draft)
  const fromOthers = drafts.map(entryKeyOf).filter(({ tab }) => alive.has(tab))
  if (fromOthers.length > 0) adopted.postMessage(fromOthers.map(({ name, tab }) => ({ name, tab })))
  return isLeft
}

/** Releases notes that another tab adopted or discarded. */
function releaseNotes(entries: readonly AdoptedEntry[], give: Adopter['give']): void {
  for (const { name, tab, isDiscarded = false } of entries) {
    const [kind, id = ''] = name.split(' ')
    if (tab === TAB && kind === 'note') give(id, isDiscarded)
  }
}
