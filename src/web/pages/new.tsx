import { useEffect } from 'preact/hooks'
import { Loading } from '../components/pane.tsx'
import { address, navigate, search } from '../router.ts'

/** The short address for a new note; what it gives of one is on the sheet that it leads to. */
export function Main() {
  useEffect(() => {
    const shared = search.peek().get('shared')
    if (shared === null)
      navigate(address(['notes', 'new'], Object.fromEntries(search.peek())), { replace: true })
    else void openShared(shared)
  }, [])
  return <Loading />
}

/** Opens the note that what was shared is in. */
async function openShared(id: string): Promise<void> {
  const { takeShared } = await import('../offline/shared.ts')
  await takeShared(id).catch(() => undefined)
  navigate(address(['notes', id]), { replace: true })
}
