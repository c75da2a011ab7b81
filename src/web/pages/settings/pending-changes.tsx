import { useEffect, useState } from 'preact/hooks'
import { confirm } from '../../components/confirm.tsx'
import { Button } from '../../components/form.tsx'
import { Time } from '../../components/time.tsx'
import { counted } from '../../data/formats.ts'
import { pending } from '../../data/pending.ts'
import { discardPending, listPending, type PendingEdit } from '../../offline/pending-edits.ts'
import { onQueueChange } from '../../offline/queue.ts'

const askToDiscard = (change: PendingEdit): Promise<boolean> =>
  confirm({
    title: `Discard the change of ${change.name}`,
    consequence: 'Its text exists in this browser alone. The server keeps what it has.',
    action: 'Discard change',
    act: () => discardPending(change),
  })

/** Unsaved changes in this browser: the reason for each, and buttons to copy or discard it. */
export function PendingChanges() {
  const [found, setFound] = useState<readonly PendingEdit[]>([])
  const read = () => void listPending().then(setFound)
  useEffect(read, [pending.value])
  useEffect(() => onQueueChange(read), [])
  if (found.length === 0) return null
  return (
    <>
      <h3>{counted(found.length, 'pending change')}</h3>
      <ul class="waiting">
        {found.map((change) => (
          <li key={Object.values(change.place).join(' ')}>
            <p>
              {change.address === undefined ? change.name : <a href={change.address}>{change.name}</a>},
              written <Time at={new Date(change.at).toISOString()} />. {change.error}
            </p>
            <p class="verbatim">{change.text}</p>
            <p class="actions">
              <Button kind="quiet" onClick={() => void navigator.clipboard?.writeText(change.text)}>
                Copy<span class="visually-hidden"> the text: {change.name}</span>
              </Button>
              <Button kind="danger" onClick={() => void askToDiscard(change)}>
                Discard<span class="visually-hidden">: {change.name}</span>
              </Button>
            </p>
          </li>
        ))}
      </ul>
    </>
  )
}
