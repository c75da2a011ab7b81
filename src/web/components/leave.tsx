import { counted } from '../data/formats.ts'
import { pendingCount } from '../data/pending.ts'
import { countAll } from '../offline/queue.ts'
import { confirm } from './confirm.tsx'

export { emptyAll } from '../offline/start.ts'

/** Returns whether signing out may go on. With unsaved changes, asks whether to discard them. */
export async function mayLeave(): Promise<boolean> {
  // Edits that could not be stored exist only in this tab.
  const unsaved = Math.max(pendingCount.peek(), await countAll().catch(() => 0))
  return unsaved === 0 || askWhetherToDiscard(unsaved)
}

const askWhetherToDiscard = (unsaved: number): Promise<boolean> =>
  confirm({
    title: 'Sign out',
    consequence: `${counted(unsaved, 'change is', 'changes are')} not saved yet. Signing out discards ${
      unsaved === 1 ? 'it' : 'them'
    } and removes the offline copy from this browser.`,
    action: 'Sign out and discard',
    cancel: 'Stay',
  })
