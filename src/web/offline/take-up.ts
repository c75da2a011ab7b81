import type { Draft } from '../data/note-text.ts'
import { TAB } from '../data/tabs.ts'
import type { Owner } from '../data/waiting-cells.ts'
import { hasCells, listDrafts, putDraft, removeDraft, takeOldDrafts } from './queue.ts'
import { openTabs } from './tabs.ts'

interface Taker {
  /** Whether a note is written into in this tab. */
  readonly isOpen: (note: string) => boolean
  readonly take: (draft: Draft) => void
}

/**
 * Takes up what tabs that are closed left behind. Returns whether drafts were left where they are, as the same notes are
 * written into here.
 */
export async function takeUp(
  { user, workspace }: Pick<Owner, 'user' | 'workspace'>,
  { isOpen, take }: Taker,
): Promise<boolean> {
  await takeOldDrafts()
  const alive = await openTabs()
  let isLeft = false
  const taken: Draft[] = []
  for (const draft of await listDrafts(user, workspace)) {
    if (alive.has(draft.tab)) continue
    const isTwice = isOpen(draft.note) || taken.some(({ note }) => note === draft.note)
    isLeft ||= isTwice
    if (isTwice) continue
    await putDraft({ ...draft, tab: TAB })
    await removeDraft(draft)
    taken.push(draft)
  }
  for (const draft of taken) take(draft)
  if (await hasCells(user, workspace)) {
    const { takeUpCells } = await import('../pages/records/edits.ts')
    await takeUpCells(alive)
  }
  return isLeft
}
