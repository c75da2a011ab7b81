import { useEffect, useState } from 'preact/hooks'
import { readRevisions } from '../../../data/note-revisions.ts'
import { useQuery } from '../../../data/use-query.ts'
import { joinRevisions } from './join-revisions.ts'

/** Numbers of revisions read: the newest 20 after every edit, more only on request. */
const LIMITS = [20, 60, 200] as const

/** The revisions of a note, newest first, as far back as requested. */
export function useRevisions(id: string) {
  const [step, setStep] = useState(0)
  const limit = LIMITS[step] ?? LIMITS[0]
  const newest = useQuery(['note', 'revisions', id], ({ signal }) => readRevisions(id, LIMITS[0], signal))
  // The feed never invalidates this key, so that long lists are not refetched while someone types.
  const older = useQuery(['revisions', id, limit], ({ signal }) => readRevisions(id, limit, signal), {
    enabled: step > 0,
    placeholderData: (before) => before,
  })
  const all = newest.data && older.data && joinRevisions(newest.data, older.data)
  const hasGap = step > 0 && all === undefined && older.data !== undefined && !older.isFetching
  useEffect(() => {
    if (hasGap) void older.refetch()
  }, [hasGap])
  const areOlderLoaded = step > 0 && older.data !== undefined && !older.isPlaceholderData
  const isComplete = (newest.data?.length ?? 0) < LIMITS[0] || (areOlderLoaded && older.data.length < limit)
  return {
    revisions: all ?? newest.data,
    isComplete,
    hasOlder: !isComplete && step < LIMITS.length - 1,
    isFetching: older.isFetching,
    error: newest.error ?? older.error,
    readOlder: () => setStep((current) => current + 1),
  }
}
