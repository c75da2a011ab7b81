import { useEffect } from 'preact/hooks'
import { Loading } from '../components/pane.tsx'
import { setNotice } from '../data/pending.ts'
import { address, navigate, search } from '../router.ts'

/** Said where what was shared met no worker. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  files: 'The files that were shared are not in this note; share them once more.',
  title: 'The title that was shared is too long; its end is left out.',
  text: 'The text that was shared is too long; its end is left out.',
}
const ALL_LEFT_OUT = 'What was shared did not arrive; share it once more.'

/** The short address for a new note; what it gives of one is on the sheet that it leads to. */
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

/** Opens the note that what was shared is in, if it is to be kept. */
async function openShared(id: string): Promise<void> {
  const { takeShared } = await import('../offline/shared.ts')
  const isKept = await takeShared(id).catch(() => true)
  navigate(address(isKept ? ['notes', id] : ['notes']), { replace: true })
}
