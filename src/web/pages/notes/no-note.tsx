import { useEffect, useState } from 'preact/hooks'
import { lazy } from '../../components/lazy.tsx'
import { preferences } from '../../data/preferences.ts'
import { session } from '../../data/session.ts'
import { navigate } from '../../router.ts'
import { loadNoteCode } from './early-note.ts'
import { justTrashed } from './just-trashed.ts'
import { noteToOpen } from './last-note.ts'
import { list, noteAddress, noteId, searchText, sort } from './route.ts'

const GettingStarted = lazy(async () => (await import('../start/getting-started.tsx')).GettingStarted)

/** Opens a note where the list leaves room for one; if there is none, shows how to begin. */
export function NoNote() {
  const hasSample = preferences.value.sample?.workspace === session.value?.workspace.id
  const isOpening = !hasSample && justTrashed.value === undefined && list.value.kind !== 'trash'
  const key = isOpening ? JSON.stringify(list.value) : undefined
  /** The list in which no note was found. */
  const [emptyKey, setEmptyKey] = useState<string>()
  useEffect(() => {
    if (key === undefined) return
    let isCurrent = true
    loadNoteCode()
    const open = (id?: string) => {
      // Meanwhile the user may have opened a note, or begun a new one.
      if (!isCurrent || noteId.peek() !== undefined) return
      if (id === undefined) setEmptyKey(key)
      else navigate(noteAddress(id), { replace: true })
    }
    noteToOpen({ list: list.peek(), sort: sort.peek(), search: searchText.peek() }).then(open, () => open())
    return () => {
      isCurrent = false
    }
  }, [key])
  return key === undefined || key === emptyKey ? <GettingStarted /> : null
}
