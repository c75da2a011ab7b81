import { useEffect } from 'preact/hooks'
import { Loading } from '../components/pane.tsx'
import { setNotice } from '../data/pending.ts'
import type { SharedNote } from '../offline/shared.ts'
import { address, navigate, search } from '../router.ts'

/** Notices about shared content that reached the page without a service worker. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  files: 'The shared files are not in this note. Share them again.',
  title: 'The shared title was too long and has been shortened.',
  text: 'The shared text was too long and has been shortened.',
}
const ALL_LEFT_OUT = 'The shared content did not arrive. Share it again.'

/** The short address of a new note. Its parameters fill the new note. */
export function Main() {
  useEffect(() => {
    const { shared, left_out, ...given } = Object.fromEntries(search.peek())
    const notice = left_out?.split(',').map((part) => LEFT_OUT[part] ?? ALL_LEFT_OUT)
    if (notice) setNotice('shared', notice.join(' '))
    if (shared === undefined) navigate(address(['notes', 'new'], given), { replace: true })
    else void openShared(shared)
  }, [])
  return <Loading />
}

/** Opens the note with the shared content, or the notes if the content was discarded. */
async function openShared(id: string): Promise<void> {
  const { takeShared } = await import('../offline/shared.ts')
  const confirm = async (note: SharedNote) => (await import('./ask-shared.tsx')).confirmShared(note)
  const isKept = await takeShared(id, confirm).catch(() => true)
  navigate(address(isKept ? ['notes', id] : ['notes']), { replace: true })
}
