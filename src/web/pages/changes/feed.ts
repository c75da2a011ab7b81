import { useEffect, useState } from 'preact/hooks'
import { api } from '../../data/api.ts'
import { useQuery } from '../../data/cache.ts'
import type { Change } from '../../data/live.ts'

/** A change, with the present state of what it changed; null when that is gone, deleted or in the trash. */
export interface Entry extends Change {
  readonly object: Readonly<Record<string, unknown>> | null
}

const PAGE = 200
const EVERY_KIND = 'note record tag property structure preset view lens quick_access_item file webhook'

interface Page {
  readonly changes: readonly Entry[]
  readonly cursor: string
  readonly has_more: boolean
}

async function readPage(before: string, kinds: string, signal?: AbortSignal): Promise<Page> {
  const page = await api.get('/v1/changes', {
    query: { before, limit: PAGE, include: 'objects', ...(kinds !== '' && { kinds }) },
    ...(signal && { signal }),
  })
  return page as unknown as Page
}

interface Kept {
  readonly kinds: string
  readonly entries: readonly Entry[]
  /** Where older ones begin; undefined at the oldest that is kept. */
  readonly next: string | undefined
}

const startOf = ({ cursor, has_more }: Page): string | undefined => (has_more ? cursor : undefined)

/** Adds the newest page to what was read before; where the two do not meet, only the newest stays. */
function withNewest(kept: Kept | undefined, kinds: string, page: Page): Kept {
  const fresh = new Set(page.changes.map(({ cursor }) => cursor))
  const older = kept?.kinds === kinds ? kept.entries.filter(({ cursor }) => !fresh.has(cursor)) : []
  const meets = kept !== undefined && older.length < kept.entries.length
  if (!meets || older.length === 0) return { kinds, entries: page.changes, next: startOf(page) }
  return { kinds, entries: [...page.changes, ...older], next: kept.next }
}

/** The changes of these kinds, newest first, from the newest to as far back as was asked for. */
export function useChanges(kinds: string) {
  const newest = useQuery([EVERY_KIND, 'changes', kinds], ({ signal }) => readPage('now', kinds, signal))
  const [kept, setKept] = useState<Kept>()
  const [isReading, setReading] = useState(false)
  const [error, setError] = useState<Error>()
  const page = newest.data
  useEffect(() => {
    if (page) setKept((before) => withNewest(before, kinds, page))
  }, [page, kinds])
  const shown = kept?.kinds === kinds ? kept : undefined
  const readOlder = async () => {
    if (shown?.next === undefined || isReading) return
    setReading(true)
    setError(undefined)
    try {
      const older = await readPage(shown.next, kinds)
      setKept((now) => now && { ...now, entries: [...now.entries, ...older.changes], next: startOf(older) })
    } catch (failure) {
      setError(failure as Error)
    } finally {
      setReading(false)
    }
  }
  return {
    entries: shown?.entries,
    hasOlder: shown?.next !== undefined,
    isReading,
    error: error ?? newest.error ?? undefined,
    readOlder,
  }
}
