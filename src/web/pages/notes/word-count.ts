import { useState } from 'preact/hooks'
import type { NoteDraft } from '../../data/note-draft.ts'
import { useTextChanges } from './text-changes.ts'

/** Pause in typing before words are counted. */
const PAUSE_MS = 300
/** Words counted per step, so that key presses are not delayed. */
const STEP = 5_000

/** Counts words in steps. Returns the function that cancels it. */
function countWords(text: string, onCounted: (words: number) => void, afterMs: number): () => void {
  const word = /[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu
  let words = 0
  const step = () => {
    const until = words + STEP
    while (words < until) {
      if (!word.test(text)) return onCounted(words)
      words++
    }
    timer = setTimeout(step)
  }
  let timer = setTimeout(step, afterMs)
  return () => clearTimeout(timer)
}

/** The word count, updated in pauses of typing; undefined until first counted. */
export function useWordCount(draft: NoteDraft): number | undefined {
  const [words, setWords] = useState<number>()
  useTextChanges(draft, (text, isFirst) => countWords(text, setWords, isFirst ? 0 : PAUSE_MS))
  return words
}
