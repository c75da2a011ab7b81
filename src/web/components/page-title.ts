import { effect, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

interface Title {
  readonly text: string
}

const ofScreen = signal('')
/** What is open on the screen, such as a note. */
const ofPart = signal<Title | undefined>(undefined)

effect(() => {
  const title = ofPart.value?.text ?? ofScreen.value
  document.title = title === '' ? 'daybook' : `${title} – daybook`
})

/** Names the page, in the tab and the history of the browser, by its screen. */
export function useScreenTitle(title: string): void {
  useEffect(() => {
    ofScreen.value = title
  }, [title])
}

/** Names the page by what is open on the screen while the component is shown. */
export function usePartTitle(text: string): void {
  useEffect(() => {
    const title = { text }
    ofPart.value = title
    return () => {
      if (ofPart.peek() === title) ofPart.value = undefined
    }
  }, [text])
}
