import { useState } from 'preact/hooks'
import { Button } from '../../../components/form.tsx'
import { TypedConfirmation } from '../../../components/modal.tsx'
import { refetch } from '../../../data/cache.ts'
import type { Structure } from '../../../data/records/model.ts'
import { request } from '../../../data/request.ts'
import { address, navigate } from '../../../router.ts'

/** Permanently deletes a structure, confirmed by typing its name. */
export function DeleteStructure({ structure: { id, name } }: { structure: Structure }) {
  const [isConfirming, setConfirming] = useState(false)
  const close = () => setConfirming(false)
  const remove = async () => {
    await request('DELETE', `/app/api/structures/${id}`, { body: { name } })
    navigate(address(['records']), { replace: true })
    await refetch({ queryKey: ['structure record', 'structures'] })
  }
  return (
    <section class="setting">
      <header>
        <h2>Delete</h2>
        <p>Deletes the table with its rows and webhooks. This cannot be undone.</p>
      </header>
      <p class="actions">
        <Button kind="danger" onClick={() => setConfirming(true)}>
          Delete {name}…
        </Button>
      </p>
      {isConfirming && (
        <TypedConfirmation
          title={`Delete ${name}`}
          word={name}
          action="Delete permanently"
          act={remove}
          onClose={close}
        >
          All rows and webhooks of {name} are deleted. This cannot be undone.
        </TypedConfirmation>
      )}
    </section>
  )
}
