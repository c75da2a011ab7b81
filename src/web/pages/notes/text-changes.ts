import { useEffect } from 'preact/hooks'
import type { SaveQueue } from '../../data/save-queue.ts'

/**
 * Has the text of a note looked at, now and whenever it changes, without drawing anything again with each key. `look`
 * returns what ends a look that is under way.
 */
export function useTextChanges(
  queue: SaveQueue | undefined,
  look: (content: string, isFirst: boolean) => () => void,
): void {
  useEffect(() => {
    let known: string | undefined
    let end: (() => void) | undefined
    const stop = queue?.text.subscribe(({ content }) => {
      if (content === known) return
      end?.()
      end = look(content, known === undefined)
      known = content
    })
    return () => {
      stop?.()
      end?.()
    }
  }, [queue])
}
