import { render } from 'preact'
import { Button } from '../components/form.tsx'
import { Modal } from '../components/modal.tsx'
import { pendingCount } from '../data/pending.ts'
import { countAll } from './queue.ts'

export { emptyAll } from './start.ts'

export const changesWait = (count: number): string =>
  count === 1 ? '1 change waits' : `${count} changes wait`

/** Asks, where something is not saved, whether it is to be given up. */
export async function mayLeave(): Promise<boolean> {
  // What a browser does not keep is in this tab alone.
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
          {changesWait(waits)} in this browser and could not be saved yet. Signing out gives up what was
          written, and empties what is kept here.
        </p>
        <p class="actions">
          <Button kind="danger" onClick={() => answer(true)}>
            Sign out and give it up
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
