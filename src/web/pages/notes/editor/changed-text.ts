import type { ChangeSet } from '@codemirror/state'

/**
 * The text that changes make of another one, whose line breaks are single characters; to put a long document together
 * from its lines takes far longer.
 */
export function changedText(text: string, changes: ChangeSet): string {
  const pieces: string[] = []
  let kept = 0
  changes.iterChanges((from, to, _from, _to, inserted) => {
    pieces.push(text.slice(kept, from), inserted.toString())
    kept = to
  })
  return pieces.join('') + text.slice(kept)
}
