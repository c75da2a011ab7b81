import { useState } from 'preact/hooks'
import { Button } from '../../../components/form.tsx'
import { TypedConfirmation } from '../../../components/modal.tsx'
import { readAgain } from '../../../data/cache.ts'
import { request } from '../../../data/request.ts'
import { address, navigate } from '../../../router.ts'
import type { Structure } from '../model.ts'

/** Deletes a structure for good; typing its name confirms it. */
export function DeleteStructure({ structure: { id, name } }: { structure: Structure }) {
  const [isAsked, setAsked] = useState(false)
  const close = () => setAsked(false)
  const remove = async () => {
    await request('DELETE', `/app/api/structures/${id}`, { body: { name } })
    navigate(address(['records']), { replace: true })
    await readAgain({ queryKey: ['structure record', 'structures'] })
  }
  return (
    <section class="setting">
      <header>
        <h2>Delete</h2>
        <p>Its rows and its webhooks go with it, and do not come back.</p>
      </header>
      <p class="actions">
        <Button kind="danger" onClick={() => setAsked(true)}>
          Delete {name}…
        </Button>
      </p>
      {isAsked && (
        <TypedConfirmation
          title={`Delete ${name}`}
          word={name}
          action="Delete for good"
          act={remove}
          onClose={close}
        >
          All rows of {name} and its webhooks are deleted with it. This cannot be undone.
        </TypedConfirmation>
      )}
    </section>
  )
}
