import { computed, signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { useHotkeys } from '../../components/hotkeys.ts'
import { readStored, store } from '../../data/stored.ts'
import { setParameters } from '../../router.ts'
import { hasBeside } from './beside.ts'
import { areDetailsOpen } from './route.ts'

/* The panes beside a note on wide screens. Each browser remembers which ones its user has closed. */

const STORAGE_KEY = 'panes'

interface Panes {
  readonly list?: boolean
  readonly details?: boolean
}

const selected = signal(readStored<Panes>('localStorage', STORAGE_KEY) ?? {})

/** Screens with room for the details besides a full line of text. */
const roomy = matchMedia('(width >= 85rem)')
const isRoomy = signal(roomy.matches)
roomy.addEventListener('change', ({ matches }) => {
  isRoomy.value = matches
})

export const isListOpen = computed(() => selected.value.list ?? true)
/** An address can ask for the details, as those of comments do. A second note takes their place. */
export const areDetailsShown = computed(
  () => areDetailsOpen.value || (!hasBeside.value && (selected.value.details ?? isRoomy.value)),
)

function choose(change: Panes): void {
  selected.value = { ...selected.peek(), ...change }
  store('localStorage', STORAGE_KEY, selected.peek())
}

export const toggleList = () => choose({ list: !isListOpen.peek() })
export function toggleDetails(): void {
  if (hasBeside.peek()) {
    setParameters({ pane: areDetailsOpen.peek() ? undefined : 'details' }, { replace: true })
    return
  }
  choose({ details: !areDetailsShown.peek() })
  if (areDetailsOpen.peek()) setParameters({ pane: undefined }, { replace: true })
}

/** Closes panes while a note is open, and handles the keys that do. */
export function useRoom(): void {
  const [list, details] = [isListOpen.value, areDetailsShown.value || hasBeside.value]
  useLayoutEffect(() => {
    const { classList } = document.body
    classList.toggle('no-list', !list)
    classList.toggle('no-details', !details)
    return () => classList.remove('no-list', 'no-details')
  }, [list, details])
  useHotkeys((event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return
    if (event.key === '\\') toggleList()
    else if (event.key === '.') toggleDetails()
    else return
    event.preventDefault()
  })
}
