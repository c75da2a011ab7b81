import { computed, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../../data/api.ts'
import { useQuery } from '../../data/use-query.ts'
import { type Entry, type Listed, readEntries, type Transaction } from './transactions.ts'

const PAGE = 200
const EVERY_KIND =
  'note record tag property structure preset view lens quick_access_item file webhook source row_view comment share'

interface Page {
  readonly transactions: readonly Transaction[]
  readonly cursor: string
  readonly has_more: boolean
}

/** The transactions before a cursor (or the newest) with their changes. */
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

interface Loaded {
  readonly kinds: string
  readonly transactions: readonly Transaction[]
  /** The cursor of the next older page; undefined if there is none. */
  readonly next: string | undefined
}

const MAX_ENTRIES = 1_000

/**
 * The changes of one transaction, newest first; undefined while they load. Without loaded entries its first change is
 * missing: the API has no cursor before it.
 */
export function useEntries(id: string, entries: readonly Entry[] | undefined): readonly Entry[] | undefined {
  const { data } = useQuery(
    [EVERY_KIND, 'changes of', id],
    ({ signal }) =>
      api.get('/v1/changes', { query: { after: id, limit: MAX_ENTRIES, include: 'objects' }, signal }),
    { enabled: entries === undefined },
  )
  const read = data?.changes as readonly Entry[] | undefined
  return entries ?? read?.filter(({ transaction }) => transaction === id).toReversed()
}

const nextCursor = ({ cursor, has_more }: Page): string | undefined => (has_more ? cursor : undefined)

/** Adds the newest page to the loaded ones; if there is a gap between them, only the newest page remains. */
function mergeNewest(loaded: Loaded | undefined, kinds: string, page: Page): Loaded {
  const newestIds = new Set(page.transactions.map(({ transaction }) => transaction))
  const before = loaded?.kinds === kinds ? loaded.transactions : []
  const older = before.filter(({ transaction }) => !newestIds.has(transaction))
  const overlaps = loaded !== undefined && older.length < before.length
  if (!overlaps || older.length === 0)
    return { kinds, transactions: page.transactions, next: nextCursor(page) }
  return { kinds, transactions: [...page.transactions, ...older], next: loaded.next }
}

/** The loaded transactions, which the list and the authors beside it share. */
const loaded = signal<Loaded | undefined>(undefined)
const isReading = signal(false)
const olderError = signal<Error | undefined>(undefined)

/** The loaded transactions, newest first; undefined until the first page is there. */
export const transactions = computed(() => loaded.value?.transactions)

async function readOlder(): Promise<void> {
  const from = loaded.peek()
  if (from?.next === undefined || isReading.peek()) return
  isReading.value = true
  olderError.value = undefined
  try {
    const older = await readPage(from.next, from.kinds)
    const now = loaded.peek()
    // The kind may have changed in the meantime, or a gap may have left only the newest page.
    if (now?.kinds === from.kinds && now.next === from.next)
      loaded.value = {
        ...now,
        transactions: [...now.transactions, ...older.transactions],
        next: nextCursor(older),
      }
  } catch (failure) {
    olderError.value = failure as Error
  } finally {
    isReading.value = false
  }
}

/**
 * Loads the transactions with changes of these kinds, newest first, and keeps them current while the screen is mounted.
 * `readOlder` adds a page.
 */
export function useChanges(kinds: string) {
  const newest = useQuery([EVERY_KIND, 'changes', kinds], ({ signal }) => readPage('now', kinds, signal))
  const page = newest.data
  useEffect(() => {
    if (page) loaded.value = mergeNewest(loaded.peek(), kinds, page)
    else if (loaded.peek()?.kinds !== kinds) loaded.value = undefined
  }, [page, kinds])
  useEffect(
    () => () => {
      loaded.value = undefined
    },
    [],
  )
  return {
    hasOlder: loaded.value?.next !== undefined,
    isReading: isReading.value,
    error: olderError.value ?? newest.error ?? undefined,
    readOlder,
  }
}
