import { computed, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
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

/** What is read; the list and the names beside it show the same. */
const kept = signal<Kept | undefined>(undefined)
const isReading = signal(false)
const olderError = signal<Error | undefined>(undefined)

/** The changes that are read, newest first; undefined until the first are there. */
export const entries = computed(() => kept.value?.entries)

async function readOlder(): Promise<void> {
  const from = kept.peek()
  if (from?.next === undefined || isReading.peek()) return
  isReading.value = true
  olderError.value = undefined
  try {
    const older = await readPage(from.next, from.kinds)
    const now = kept.peek()
    // Meanwhile other kinds may have been chosen, or so much have changed that only the newest page is left.
    if (now?.kinds === from.kinds && now.next === from.next)
      kept.value = { ...now, entries: [...now.entries, ...older.changes], next: startOf(older) }
  } catch (failure) {
    olderError.value = failure as Error
  } finally {
    isReading.value = false
  }
}

/** Reads the changes of these kinds, from the newest to as far back as was asked for, while the screen is there. */
export function useChanges(kinds: string) {
  const newest = useQuery([EVERY_KIND, 'changes', kinds], ({ signal }) => readPage('now', kinds, signal))
  const page = newest.data
  useEffect(() => {
    if (page) kept.value = withNewest(kept.peek(), kinds, page)
    else if (kept.peek()?.kinds !== kinds) kept.value = undefined
  }, [page, kinds])
  useEffect(
    () => () => {
      kept.value = undefined
    },
    [],
  )
  return {
    hasOlder: kept.value?.next !== undefined,
    isReading: isReading.value,
    error: olderError.value ?? newest.error ?? undefined,
    readOlder,
  }
}
