import { render } from 'preact'
import { Button } from '../components/form.tsx'
import { Modal } from '../components/modal.tsx'
import { pendingCount } from '../data/pending.ts'
import { countAll } from './queue.ts'

export { emptyAll } from './start.ts'

export const changesAre = (count: number): string => (count === 1 ? '1 change is' : `${count} changes are`)

/** Returns whether signing out may go on. With unsaved changes, asks whether to discard them. */
export async function mayLeave(): Promise<boolean> {
  // Edits that could not be stored exist only in this tab.
  const waits = Math.max(pendingCount.peek(), await countAll().catch(() => 0))
  return waits === 0 || ask(waits)
}

function ask(waits: number): Promise<boolean> {
  const place = document.createElement('div')
  document.body.append(place)
  return new Promise((resolve) => {
    const answer = (mayLeave: boolean) => {
      render(null, place)
      place.remove()
      resolve(mayLeave)
    }
    render(
      <Modal title="Sign out" onClose={() => answer(false)}>
        <p>
          {changesAre(waits)} not saved yet. Signing out discards {waits === 1 ? 'it' : 'them'} and removes
          the offline copy from this browser.
        </p>
        <p class="actions">
          <Button kind="danger" onClick={() => answer(true)}>
            Sign out and discard
          </Button>
          <Button kind="quiet" onClick={() => answer(false)}>
            Stay
          </Button>
        </p>
      </Modal>,
      place,
    )
  })
}
