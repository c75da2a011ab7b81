import { afterEach, expect, test } from 'bun:test'
import { QueryObserver } from '@tanstack/query-core'
import { cache, invalidate } from '../../src/web/data/cache.ts'

afterEach(() => cache.clear())

type Titles = readonly string[]

/** Shows reads of notes; the test decides when each read gets its response. */
function showNotes() {
  const reads: PromiseWithResolvers<Titles>[] = []
  let begun = Promise.withResolvers<void>()
  const queryFn = () => {
    const read = Promise.withResolvers<Titles>()
    reads.push(read)
    begun.resolve()
    begun = Promise.withResolvers()
    return read.promise
  }
  const observer = new QueryObserver<Titles>(cache, { queryKey: ['note', 'all'], queryFn })
  const stop = observer.subscribe(() => {})
  return {
    reads,
    stop,
    /** Responds to a read once it has begun. */
    answer: async (at: number, titles: Titles) => {
      while (reads.length <= at) await begun.promise
      reads[at]?.resolve(titles)
    },
    untilShown: (titles: Titles) =>
      new Promise<void>((resolve) =>
        observer.subscribe(({ data }) => Bun.deepEquals(data, titles) && resolve()),
      ),
  }
}

test('re-reads a query that changes during its first read, once', async () => {
  const { answer, untilShown, stop } = showNotes()
  void invalidate(new Set(['note']))
  const isNew = untilShown(['New'])
  await answer(0, ['Old'])
  await answer(1, ['New'])
  await isNew
  stop()
})

test('re-reads a query that changes several times during its first read, once', async () => {
  const { reads, answer, untilShown, stop } = showNotes()
  for (let change = 0; change < 5; change++) void invalidate(new Set(['note']))
  const isNew = untilShown(['New'])
  await answer(0, ['Old'])
  await answer(1, ['New'])
  await isNew
  expect(reads).toHaveLength(2)
  stop()
})

test('discards the response of a read in flight during a change', async () => {
  const { reads, answer, untilShown, stop } = showNotes()
  const isFirst = untilShown(['First'])
  await answer(0, ['First'])
  await isFirst
  void invalidate(new Set(['note']))
  void invalidate(new Set(['note', 'tag']))
  const isNew = untilShown(['New'])
  await answer(1, ['Old'])
  await answer(2, ['New'])
  await isNew
  expect(reads).toHaveLength(3)
  stop()
})

test('changes of other kinds are no reason to read', () => {
  const { reads, stop } = showNotes()
  void invalidate(new Set(['record']))
  expect(reads).toHaveLength(1)
  stop()
})
