import { render } from 'preact'
import { Button } from '../components/form.tsx'
import { Modal } from '../components/modal.tsx'
import { pendingCount } from '../data/pending.ts'
import { TAB } from '../data/tabs.ts'
import { countOthers } from './queue.ts'

export { emptyAll } from './start.ts'

export const changesWait = (count: number): string =>
  count === 1 ? '1 change waits' : `${count} changes wait`

/** Asks, where something waits to be sent, whether it is to be given up. */
export async function mayLeave(): Promise<boolean> {
  const waits = pendingCount.peek() + (await countOthers(TAB))
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
