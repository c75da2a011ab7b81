import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { sizeText } from '../../components/size.ts'
import { Time } from '../../components/time.tsx'
import { counted } from '../../data/formats.ts'
import type { About } from '../../offline/database.ts'
import { about, emptyCopy, marks, setMark } from '../../offline/start.ts'
import { Install } from './install.tsx'
import { PendingChanges } from './pending-changes.tsx'
import { Section } from './section.tsx'

const picturesOf = ({ pictures: { count, bytes } = { count: 0, bytes: 0 } }: About) =>
  count === 0 ? '' : `${counted(count, 'picture')} (${sizeText(bytes)}),`

/** The offline copy in this browser: its size and age, pending changes, and how to clear it. */
export function Offline() {
  const copy = about.value
  const { run, isRunning, refusal } = useAction(emptyCopy)
  return (
    <Section
      name="offline"
      title="Offline"
      about="This browser stores your last 500 notes, pinned notes, up to 100 MB of their pictures, and the tables you choose."
    >
      {copy ? (
        <p>
          {counted(copy.notes, 'note')}, {sizeText(copy.characters)} of text, {picturesOf(copy)} stored since{' '}
          <Time at={new Date(copy.since).toISOString()} />
        </p>
      ) : (
        <p>Nothing is stored yet.</p>
      )}
      <PendingChanges />
      {marks.value.length > 0 && (
        <ul class="plain">
          {marks.value.map(({ structure, name, rows, since, problem }) => (
            <li key={structure}>
              {problem === undefined
                ? `${name}: ${since === undefined ? 'not downloaded yet' : counted(rows, 'row')}`
                : `${problem}.`}{' '}
              <Button kind="quiet" onClick={() => void setMark({ id: structure, name }, false)}>
                Remove offline copy<span class="visually-hidden"> of {name}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
      <p class="actions">
        <Install />
        <Button disabled={isRunning.value || !copy} onClick={() => void run()}>
          Clear offline data
        </Button>
      </p>
    </Section>
  )
}
