import { useEffect } from 'preact/hooks'
import { useAction } from '../../components/form.tsx'
import { Loading, QueryError } from '../../components/pane.tsx'
import { findByTitle } from '../../data/find-notes.ts'
import { localDay } from '../../data/local-time.ts'
import { mayWrite } from '../../data/session.ts'
import { navigate } from '../../router.ts'
import { BackToList } from './back-to-list.tsx'
import { NEW, noteAddress, wantedDay } from './place.ts'
import { goOnInText } from './typing.ts'

/** Leads to the note of a day, whose title is its date; where there is none yet, to an empty sheet with its title. */
export function Today() {
  const title = wantedDay.value ?? localDay()
  const { run, refusal } = useAction(async () => {
    const found = await findByTitle(title)
    const isToday = wantedDay.peek() === undefined
    navigate(found ? noteAddress(found.id) : noteAddress(NEW, { title }), { replace: true })
    // A day that is begun is written on at its end; a finger does not ask for its keyboard.
    if (found && mayWrite.peek() && isToday && !matchMedia('(pointer: coarse)').matches)
      goOnInText(Number.MAX_SAFE_INTEGER)
  })
  useEffect(() => void run(), [title])
  return (
    <section class="pane content new-note" id="note" aria-label="Note">
      <header class="bar">
        <BackToList />
      </header>
      {refusal.value === undefined ? <Loading /> : <QueryError error={new Error(refusal.value)} />}
    </section>
  )
}
