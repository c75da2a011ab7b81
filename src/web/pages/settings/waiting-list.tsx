import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../components/form.tsx'
import { Time } from '../../components/time.tsx'
import { notices, pendingCount } from '../../data/pending.ts'
import { onQueueChange } from '../../offline/queue.ts'
import { giveUp, listWaiting, type Waiting } from '../../offline/waiting.ts'

/** What was written in this browser and is not saved: each with why, and with ways to keep or to lose it. */
export function WaitingList() {
  const [found, setFound] = useState<readonly Waiting[]>([])
  const read = () => void listWaiting().then(setFound)
  // What becomes of each is also told in a notice.
  useEffect(read, [pendingCount.value, notices.value])
  useEffect(() => onQueueChange(read), [])
  if (found.length === 0) return null
  return (
    <>
      <h3>{found.length === 1 ? '1 change waits here' : `${found.length} changes wait here`}</h3>
      <ul class="waiting">
        {found.map((one) => (
          <li key={Object.values(one.place).join(' ')}>
            <p>
              {one.address === undefined ? one.name : <a href={one.address}>{one.name}</a>}, written{' '}
              <Time at={new Date(one.at).toISOString()} />. {one.why}
            </p>
            <p class="verbatim">{one.text}</p>
            <p class="actions">
              <Button kind="quiet" onClick={() => void navigator.clipboard?.writeText(one.text)}>
                Copy<span class="visually-hidden"> what was written: {one.name}</span>
              </Button>
              <Button kind="danger" onClick={() => void giveUp(one)}>
                Give it up<span class="visually-hidden">: {one.name}</span>
              </Button>
            </p>
          </li>
        ))}
      </ul>
    </>
  )
}
