import { useEffect, useState } from 'preact/hooks'
import { readRevisions } from '../../../data/note-revisions.ts'
import { useQuery } from '../../../data/use-query.ts'
import { joined } from './joined.ts'

/** How many are read: the newest again after every edit, more of them once, when older ones are asked for. */
const LIMITS = [20, 60, 200] as const

/** The revisions of a note, newest first, as far back as was asked for. */
export function useRevisions(id: string) {
  const [step, setStep] = useState(0)
  const limit = LIMITS[step] ?? LIMITS[0]
  const newest = useQuery(['note', 'revisions', id], ({ signal }) => readRevisions(id, LIMITS[0], signal))
  // No change of the feed names this key: many long texts are not read again while somebody writes.
  const older = useQuery(['revisions', id, limit], ({ signal }) => readRevisions(id, limit, signal), {
    enabled: step > 0,
    placeholderData: (before) => before,
  })
  const whole = newest.data && older.data && joined(newest.data, older.data)
  const isApart = step > 0 && whole === undefined && older.data !== undefined && !older.isFetching
  useEffect(() => {
    if (isApart) void older.refetch()
  }, [isApart])
  const isKnown = step > 0 && older.data !== undefined && !older.isPlaceholderData
  const isWhole = (newest.data?.length ?? 0) < LIMITS[0] || (isKnown && older.data.length < limit)
  return {
    revisions: whole ?? newest.data,
    isWhole,
    hasOlder: !isWhole && step < LIMITS.length - 1,
    isReading: older.isFetching,
    error: newest.error ?? older.error,
    readOlder: () => setStep((now) => now + 1),
  }
}
