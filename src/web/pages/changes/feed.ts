import { computed, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../../data/api.ts'
import { useQuery } from '../../data/use-query.ts'
import { type Entry, type Listed, readEntries, type Transaction } from './transactions.ts'

const PAGE = 200
const EVERY_KIND =
  'note record tag property structure preset view lens quick_access_item file webhook source row_view share'

interface Page {
  readonly transactions: readonly Transaction[]
  readonly cursor: string
  readonly has_more: boolean
}

/** The writes before a cursor, or the newest, with their changes. */
async function readPage(before: string, kinds: string, signal?: AbortSignal): Promise<Page> {
  const ofKinds = kinds !== '' && { kinds }
  const page = await api.get('/v1/changes/transactions', {
    query: { before, limit: PAGE, ...ofKinds },
    ...(signal && { signal }),
  })
  const { transactions, ...rest } = page as unknown as Omit<Page, 'transactions'> & {
    readonly transactions: readonly Listed[]
  }
  const read = async (from: string, limit: number) => {
    const { changes } = await api.get('/v1/changes', {
      query: { before: from, limit, include: 'objects', ...ofKinds },
      ...(signal && { signal }),
    })
    return changes as unknown as readonly Entry[]
  }
  return { ...rest, transactions: await readEntries(transactions, before, kinds, read) }
}

interface Kept {
  readonly kinds: string
  readonly transactions: readonly Transaction[]
  /** Where older ones begin; undefined at the oldest that is kept. */
  readonly next: string | undefined
}

const MOST_NAMED = 1_000

/**
 * The changes of one write, newest first: those that are read already, else all but its first, which the API cannot name
 * a place before. Undefined until they are there.
 */
export function useEntries(id: string, known: readonly Entry[] | undefined): readonly Entry[] | undefined {
  const { data } = useQuery(
    [EVERY_KIND, 'changes of', id],
    ({ signal }) =>
      api.get('/v1/changes', { query: { after: id, limit: MOST_NAMED, include: 'objects' }, signal }),
    { enabled: known === undefined },
  )
  const read = data?.changes as readonly Entry[] | undefined
  return known ?? read?.filter(({ transaction }) => transaction === id).toReversed()
}

const startOf = ({ cursor, has_more }: Page): string | undefined => (has_more ? cursor : undefined)

/** Adds the newest page to what was read before; where the two do not meet, only the newest stays. */
function withNewest(kept: Kept | undefined, kinds: string, page: Page): Kept {
  const fresh = new Set(page.transactions.map(({ transaction }) => transaction))
  const before = kept?.kinds === kinds ? kept.transactions : []
  const older = before.filter(({ transaction }) => !fresh.has(transaction))
  const meets = kept !== undefined && older.length < before.length
  if (!meets || older.length === 0) return { kinds, transactions: page.transactions, next: startOf(page) }
  return { kinds, transactions: [...page.transactions, ...older], next: kept.next }
}

/** What is read; the list and the names beside it show the same. */
const kept = signal<Kept | undefined>(undefined)
const isReading = signal(false)
const olderError = signal<Error | undefined>(undefined)

/** The writes that are read, newest first; undefined until the first are there. */
export const transactions = computed(() => kept.value?.transactions)

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
      kept.value = {
        ...now,
        transactions: [...now.transactions, ...older.transactions],
        next: startOf(older),
      }
  } catch (failure) {
    olderError.value = failure as Error
  } finally {
    isReading.value = false
  }
}

/**
 * Reads the writes with changes of these kinds, from the newest to as far back as was asked for, while the screen is
 * there.
 */
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
