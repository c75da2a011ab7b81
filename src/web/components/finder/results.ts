import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { unreachableSince } from '../../data/request.ts'
import { findCommands } from './commands.ts'
import type { Found } from './search.ts'

/** A key that follows another one within this time starts its search after a pause of the same length. */
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
  const changedAt = useRef(Number.NEGATIVE_INFINITY)
  // A layout effect, as other effects wait for the next frame.
  useLayoutEffect(() => {
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
    const isBurst = text !== '' && performance.now() - changedAt.current < PAUSE_MS
    changedAt.current = performance.now()
    let timer: ReturnType<typeof setTimeout> | undefined
    if (isBurst) timer = setTimeout(() => void find(), PAUSE_MS)
    else void find()
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
