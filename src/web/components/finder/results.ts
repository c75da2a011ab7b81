import { useEffect, useState } from 'preact/hooks'
import { findCommands } from './commands.ts'
import type { Answer } from './search.ts'

/** A search waits so long for the next key. */
const PAUSE_MS = 60

/**
 * What fits the text: notes, rows, files, then commands. Each source is shown as soon as it has responded; typing on
 * ends the requests for the older text, whose results stay until the first of the new ones is there.
 */
export function useResults(text: string) {
  const [answer, setAnswer] = useState<Answer>({ text: '', groups: [], isDone: false })
  useEffect(() => {
    const stop = new AbortController()
    const timer = setTimeout(() => void search(text, stop.signal, setAnswer), text === '' ? 0 : PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text])
  return {
    found: [...answer.groups.flat(), ...findCommands(text)],
    isSearching: answer.text !== text || !answer.isDone,
    error: answer.text === text ? answer.error : undefined,
  }
}

/** What searches is loaded with the first search, so that no screen waits for it. */
async function search(text: string, signal: AbortSignal, show: (answer: Answer) => void): Promise<void> {
  try {
    await (await import('./search.ts')).search(text, signal, show)
  } catch (error) {
    if (!signal.aborted) show({ text, groups: [], isDone: true, error: error as Error })
  }
}
