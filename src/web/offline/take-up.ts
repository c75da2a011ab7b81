import type { Subject } from '../data/note-documents.ts'
import type { Draft } from '../data/note-text.ts'
import type { Owner, Place } from '../data/pending-cells.ts'
import { TAB } from '../data/tabs.ts'
import { draftPlace, hasCells, listDrafts, putDraft, removeDraft, takeOldDrafts } from './queue.ts'
import { openTabs } from './tabs.ts'

interface Taker {
  /** Whether a note is written into in this tab. */
  readonly isOpen: (note: string) => boolean
  readonly take: (draft: Draft) => void
  /** Leaves a note to another tab that took it up, unless it is shown here, or gives up what was written into it. */
  readonly give: (note: string, isGivenUp: boolean) => void
}

interface Taken extends Pick<Place, 'name' | 'tab'> {
  readonly isGivenUp?: boolean
}

/** Tells the other tabs what was taken up of theirs. */
const taken = new BroadcastChannel('daybook-taken')

/** Has the tab that holds it give something up. */
export const tellGivenUp = ({ name, tab }: Place): void =>
  taken.postMessage([{ name, tab, isGivenUp: true } satisfies Taken])

/**
 * Takes up what tabs that are closed left behind, and of what is shown here also what another tab has and does not show.
 * Returns whether drafts were left where they are, as the same notes are written into here.
 */
export async function takeUp(
  { user, workspace }: Pick<Owner, 'user' | 'workspace'>,
  subject: Subject,
  { isOpen, take, give }: Taker,
): Promise<boolean> {
  taken.onmessage = ({ data }) => void giveAway(data, give)
  await takeOldDrafts()
  const alive = await openTabs()
  let isLeft = false
  const drafts: Draft[] = []
  for (const draft of await listDrafts(user, workspace)) {
    const isIdle = draft.note === subject.note && draft.isShown === false
    if (alive.has(draft.tab) && (draft.tab === TAB || !isIdle)) continue
    const isTwice = isOpen(draft.note) || drafts.some(({ note }) => note === draft.note)
    isLeft ||= isTwice
    if (isTwice) continue
    await putDraft({ ...draft, tab: TAB })
    await removeDraft(draft)
    drafts.push(draft)
  }
  for (const draft of drafts) take(draft)
  const places: Place[] = drafts.map(draftPlace)
  if (await hasCells(user, workspace)) {
    const { adoptCells } = await import('../pages/records/edits.ts')
    places.push(...(await adoptCells(alive, subject.structure)))
  }
  const ofOthers = places.filter(({ tab }) => alive.has(tab))
  if (ofOthers.length > 0) taken.postMessage(ofOthers.map(({ name, tab }) => ({ name, tab })))
  return isLeft
}

/** Leaves to another tab what it took up, or what is given up there. */
async function giveAway(places: readonly Taken[], give: Taker['give']): Promise<void> {
  for (const { name, tab, isGivenUp = false } of places) {
    if (tab !== TAB) continue
    const [kind, id = '', row = '', field = ''] = name.split(' ')
    if (kind === 'note') give(id, isGivenUp)
    else (await import('../pages/records/edits.ts')).releaseCell([id, row, field], isGivenUp)
  }
}
