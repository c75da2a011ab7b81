import { useEffect } from 'preact/hooks'
import { useAction } from '../../components/form.tsx'
import { Loading, QueryError } from '../../components/pane.tsx'
import { clockTime } from '../../components/time.tsx'
import { api } from '../../data/api.ts'
import { localDay } from '../../data/local-time.ts'
import { mayWriteNotes } from '../../data/session.ts'
import { navigate } from '../../router.ts'
import { BackToList } from './back-to-list.tsx'
import { NEW, noteAddress, requestedDay } from './route.ts'
import { continueInText } from './typing.ts'

/** The preset with the text that daily notes begin with. */
const DAILY = /^daily(?: note)?$/i

/** The text and tags of a new daily note: of the preset named "Daily note", if there is one with a text. */
async function dailyText(title: string): Promise<{ text?: string; tags?: string }> {
  // Offline, presets may not be available; the note then begins empty.
  const { presets } = await api.get('/v1/presets').catch(() => ({ presets: [] }))
  const daily = presets.find(({ name, content }) => DAILY.test(name) && content !== undefined)
  if (!daily) return {}
  const holes: Record<string, string> = { date: title, title, time: clockTime(new Date()) }
  const text = (daily.content ?? '').replace(/\{\{(date|time|title)\}\}/g, (_, name) => holes[name] ?? '')
  return { text, ...(daily.tags.length > 0 && { tags: daily.tags.join(',') }) }
}

/** Redirects to the daily note, which has the date as title, or to a new note with this title. */
export function Today() {
  const title = requestedDay.value ?? localDay()
  const { run, refusal } = useAction(async () => {
    const { findByTitle } = await import('../../data/find-notes.ts')
    const found = await findByTitle(title)
    const isToday = requestedDay.peek() === undefined
    navigate(found ? noteAddress(found.id) : noteAddress(NEW, { title, ...(await dailyText(title)) }), {
      replace: true,
    })
    // The cursor goes to the end of today's note, except on touch screens, where it would open the keyboard.
    if (found && mayWriteNotes.peek() && isToday && !matchMedia('(pointer: coarse)').matches)
      continueInText(Number.MAX_SAFE_INTEGER)
  })
  useEffect(() => void run(), [title])
  return (
    <section class="pane content" id="note" aria-label="Note">
      <header class="bar">
        <BackToList />
      </header>
      {refusal.value === undefined ? <Loading /> : <QueryError error={new Error(refusal.value)} />}
    </section>
  )
}
