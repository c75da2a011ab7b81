import { useState } from 'preact/hooks'
import type { SaveQueue } from '../../data/save-queue.ts'
import { useTextChanges } from './text-changes.ts'

/** A pause in typing after which is counted. */
const PAUSE_MS = 300
/** So many words are counted at once; a key that is pressed meanwhile waits for no more. */
const STEP = 5_000

/** Counts the words of a text in steps; returns the function that ends it. */
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

/** How many words there are, counted again in a pause of typing; undefined until they were counted once. */
export function useWordCount(queue: SaveQueue): number | undefined {
  const [words, setWords] = useState<number>()
  useTextChanges(queue, (text, isFirst) => countWords(text, setWords, isFirst ? 0 : PAUSE_MS))
  return words
}
