import { useEffect } from 'preact/hooks'
import type { NoteDraft } from '../../data/note-draft.ts'

/**
 * Calls `observe` with the text of a note, now and after every change, without rendering. The function it returns is
 * called before the next call and on unmount.
 */
export function useTextChanges(
  draft: NoteDraft | undefined,
  observe: (content: string, isFirst: boolean) => () => void,
): void {
  useEffect(() => {
    let known: string | undefined
    let end: (() => void) | undefined
    const stop = draft?.text.subscribe(({ content }) => {
      if (content === known) return
      end?.()
      end = observe(content, known === undefined)
      known = content
    })
    return () => {
      stop?.()
      end?.()
    }
  }, [draft])
}
