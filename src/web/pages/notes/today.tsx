import { useEffect } from 'preact/hooks'
import { useAction } from '../../components/form.tsx'
import { Loading, QueryError } from '../../components/pane.tsx'
import { localDay } from '../../data/local-time.ts'
import { mayWriteNotes } from '../../data/session.ts'
import { navigate } from '../../router.ts'
import { BackToList } from './back-to-list.tsx'
import { NEW, noteAddress, requestedDay } from './route.ts'
import { continueInText } from './typing.ts'

/** Redirects to the daily note, which has the date as title, or to a new note with this title. */
export function Today() {
  const title = requestedDay.value ?? localDay()
  const { run, refusal } = useAction(async () => {
    const { findByTitle } = await import('../../data/find-notes.ts')
    const found = await findByTitle(title)
    const isToday = requestedDay.peek() === undefined
    navigate(found ? noteAddress(found.id) : noteAddress(NEW, { title }), { replace: true })
    // The cursor goes to the end of today's note, except on touch screens, where it would open the keyboard.
    if (found && mayWriteNotes.peek() && isToday && !matchMedia('(pointer: coarse)').matches)
      continueInText(Number.MAX_SAFE_INTEGER)
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
