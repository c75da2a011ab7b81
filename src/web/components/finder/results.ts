import { useEffect, useState } from 'preact/hooks'
import { unreachableSince } from '../../data/request.ts'
import { findCommands } from './commands.ts'
import type { Found } from './search.ts'

/** Pause in typing before a search starts. */
const PAUSE_MS = 30

interface SearchState {
  readonly text: string | undefined
  readonly found: readonly Found[]
  readonly problem?: string
}

const OFFLINE = 'Files, and tables that you have not kept offline, aren’t available offline.'

/**
 * Notes, rows, files and commands that match the text. Further typing aborts the request for older text, whose results
 * stay until the new ones arrive.
 */
export function useResults(text: string) {
  const [state, setState] = useState<SearchState>({ text: undefined, found: [] })
  useEffect(() => {
    const stop = new AbortController()
    const find = async () => {
      try {
        // Loaded with the first search, so that no screen waits for it.
        const { search } = await import('./search.ts')
        const found = await search(text, stop.signal)
        const isPartial = text !== '' && unreachableSince.peek() !== undefined
        if (!stop.signal.aborted) setState({ text, found, ...(isPartial && { problem: OFFLINE }) })
      } catch (error) {
        if (!stop.signal.aborted) setState({ text, found: [], problem: (error as Error).message })
      }
    }
    const timer = setTimeout(() => void find(), text === '' ? 0 : PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text])
  return {
    found: [...state.found, ...findCommands(text)],
    isSearching: state.text !== text,
    problem: state.text === text ? state.problem : undefined,
  }
}
