import { Button, useAction, Why } from '../../components/form.tsx'
import { sizeText } from '../../components/size.ts'
import { Time } from '../../components/time.tsx'
import { formatNumber } from '../../data/formats.ts'
import type { About } from '../../offline/database.ts'
import { about, emptyCopy, marks, setMark } from '../../offline/start.ts'
import { Install } from './install.tsx'
import { Section } from './section.tsx'
import { WaitingList } from './waiting-list.tsx'

const numberOf = (count: number, what: string) => `${formatNumber(count)} ${what}${count === 1 ? '' : 's'}`

const picturesOf = ({ pictures: { count, bytes } = { count: 0, bytes: 0 } }: About) =>
  count === 0 ? '' : `${numberOf(count, 'picture')} of ${sizeText(bytes)},`

/** What this browser keeps for reading without a network: how much, since when, and how to let go of it. */
export function Offline() {
  const kept = about.value
  const { run, isRunning, refusal } = useAction(emptyCopy)
  return (
    <Section
      name="offline"
      title="Offline"
      about="The last 500 notes, the pinned ones, their pictures up to 100 MB, and the rows of tables that you choose are kept in this browser."
    >
      {kept ? (
        <p>
          {numberOf(kept.notes, 'note')}, {sizeText(kept.characters)} of text, {picturesOf(kept)} kept since{' '}
          <Time at={new Date(kept.since).toISOString()} />
        </p>
      ) : (
        <p>Nothing is kept yet.</p>
      )}
      <WaitingList />
      {marks.value.length > 0 && (
        <ul class="plain">
          {marks.value.map(({ structure, name, rows, since, problem }) => (
            <li key={structure}>
              {problem === undefined
                ? `${name}: ${since === undefined ? 'no rows yet' : numberOf(rows, 'row')}`
                : `${problem}.`}{' '}
              <Button kind="quiet" onClick={() => void setMark({ id: structure, name }, false)}>
                Stop keeping<span class="visually-hidden"> {name} offline</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {refusal.value && <Why>{refusal.value}</Why>}
      <p class="actions">
        <Install />
        <Button disabled={isRunning.value || !kept} onClick={() => void run()}>
          Clear what is kept offline
        </Button>
      </p>
    </Section>
  )
}
