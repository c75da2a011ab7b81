import { useEffect } from 'preact/hooks'
import { useAction } from '../../components/form.tsx'
import { Failed, Loading } from '../../components/pane.tsx'
import { findByTitle } from '../../data/find-notes.ts'
import { localDay } from '../../data/local-time.ts'
import { navigate } from '../../router.ts'
import { BackToList } from './back-to-list.tsx'
import { NEW, noteAddress, wantedDay } from './place.ts'

/** Leads to the note of a day, whose title is its date; where there is none yet, to an empty sheet with its title. */
export function Today() {
  const title = wantedDay.value ?? localDay()
  const { run, refusal } = useAction(async () => {
    const found = await findByTitle(title)
    navigate(found ? noteAddress(found.id) : noteAddress(NEW, { title }), { replace: true })
  })
  useEffect(() => void run(), [title])
  return (
    <section class="pane content new-note" id="note" aria-label="Note">
      <header class="bar">
        <BackToList />
      </header>
      {refusal.value === undefined ? <Loading /> : <Failed error={new Error(refusal.value)} />}
    </section>
  )
}
