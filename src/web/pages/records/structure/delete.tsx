import { confirm } from '../../../components/confirm.tsx'
import { Button } from '../../../components/form.tsx'
import { refetch } from '../../../data/cache.ts'
import type { Structure } from '../../../data/records/model.ts'
import { request } from '../../../data/request.ts'
import { address, navigate } from '../../../router.ts'

/** Permanently deletes a structure, confirmed by typing its name. */
export function DeleteStructure({ structure: { id, name } }: { structure: Structure }) {
  const remove = async () => {
    await request('DELETE', `/app/api/structures/${id}`, { body: { name } })
    navigate(address(['records']), { replace: true })
    await refetch({ queryKey: ['structure record', 'structures'] })
  }
  const askToDelete = () =>
    confirm({
      title: `Delete ${name}`,
      consequence: `All rows and webhooks of ${name} are deleted.`,
      action: 'Delete table',
      word: name,
      act: remove,
    })
  return (
    <section class="setting">
      <header>
        <h2>Delete</h2>
        <p>Deletes the table with its rows and webhooks. This cannot be undone.</p>
      </header>
      <p class="actions">
        <Button kind="danger" onClick={() => void askToDelete()}>
          Delete {name}…
        </Button>
      </p>
    </section>
  )
}
