import { useEffect, useState } from 'preact/hooks'
import { findCommands } from './commands.ts'
import type { SearchState } from './search.ts'

/** Pause in typing before a search starts. */
const PAUSE_MS = 60

/**
 * Notes, rows, files and commands that match the text. Each source appears as soon as it has responded. Further typing
 * aborts the requests for older text, whose results stay until the first new ones arrive.
 */
export function useResults(text: string) {
  const [state, setState] = useState<SearchState>({ text: '', groups: [], isDone: false })
  useEffect(() => {
    const stop = new AbortController()
    const timer = setTimeout(() => void search(text, stop.signal, setState), text === '' ? 0 : PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text])
  return {
    found: [...state.groups.flat(), ...findCommands(text)],
    isSearching: state.text !== text || !state.isDone,
    error: state.text === text ? state.error : undefined,
  }
}

/** Loads the search code with the first search, so that no screen waits for it. */
async function search(text: string, signal: AbortSignal, show: (state: SearchState) => void): Promise<void> {
  try {
    await (await import('./search.ts')).search(text, signal, show)
  } catch (error) {
    if (!signal.aborted) show({ text, groups: [], isDone: true, error: error as Error })
  }
}
