import { useEffect, useState } from 'preact/hooks'
import { findCommands } from './commands.ts'
import { type Found, findFiles, findNotes, findPresets, findRows } from './search.ts'

/** A search waits so long for the next key. */
const PAUSE_MS = 60

type Source = (text: string, signal: AbortSignal) => Promise<Found[]>

const SOURCES: readonly Source[] = [findNotes, findRows, findFiles, findPresets]
const WITHOUT_TEXT: readonly Source[] = [findNotes, findPresets]

interface Answer {
  readonly text: string
  readonly groups: readonly (readonly Found[])[]
  readonly isDone: boolean
  readonly error?: Error
}

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

async function search(text: string, signal: AbortSignal, show: (answer: Answer) => void): Promise<void> {
  const sources = text === '' ? WITHOUT_TEXT : SOURCES
  const groups: Found[][] = sources.map(() => [])
  let error: Error | undefined
  let open = sources.length
  await Promise.all(
    sources.map(async (find, at) => {
      try {
        groups[at] = await find(text, signal)
      } catch (failure) {
        error = failure as Error
      }
      open -= 1
      if (!signal.aborted) show({ text, groups: [...groups], isDone: open === 0, ...(error && { error }) })
    }),
  )
}
