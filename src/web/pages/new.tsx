import { useEffect } from 'preact/hooks'
import { Loading } from '../components/pane.tsx'
import { address, navigate, search } from '../router.ts'

/** The short address for a new note; what it gives of one is on the sheet that it leads to. */
export function Main() {
  useEffect(() => {
    navigate(address(['notes', 'new'], Object.fromEntries(search.peek())), { replace: true })
  }, [])
  return <Loading />
}
