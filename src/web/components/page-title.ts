import { effect, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

interface Title {
  readonly text: string
}

const screenTitle = signal('')
/** The object open on the screen, such as a note; it takes precedence. */
const partTitle = signal<Title | undefined>(undefined)

effect(() => {
  const title = partTitle.value?.text ?? screenTitle.value
  document.title = title === '' ? 'daybook' : `${title} – daybook`
})

/** Sets the title of the page to that of its screen. */
export function useScreenTitle(title: string): void {
  useEffect(() => {
    screenTitle.value = title
  }, [title])
}

/** Sets the title of the page to that of the open object, while the component is mounted. */
export function usePartTitle(text: string): void {
  useEffect(() => {
    const title = { text }
    partTitle.value = title
    return () => {
      if (partTitle.peek() === title) partTitle.value = undefined
    }
  }, [text])
}
