import type { RecordsBaseline } from '../baselines.ts'
import type { Dataset } from '../dataset.ts'
import { interleaved, type Times } from '../measure.ts'
import { pathOf } from './record-queries.ts'

/** Enough reads for the service to decide to index the pair, and to finish the index. */
const READS_BEFORE = 60
const TIME_FOR_INDEX_MS = 20_000

/** Equality on one field and a range on another. A sixth of the rows match, and no value repeats. */
function pairs() {
  let at = 0
  return () => {
    at += 1
    return 300 + at / 1_000
  }
}

const pathOver = (low: number) =>
  pathOf({
    filter: [
      { field: 'status', op: 'eq', value: 'done' },
      { field: 'amount', op: 'gt', value: low },
    ],
    sort: 'amount',
  })

/**
 * Measures the page of 50 rows and the exact total for a pair of conditions, sorted by the second field. The baseline
 * has the best index for it.
 */
export async function measurePair(
  data: Dataset,
  raw: RecordsBaseline,
  rounds: number,
): Promise<{ daybook: Times; floor: Times }> {
  const next = pairs()
  const daybook = async () => {
    const answer = await data.fetch(pathOver(next()))
    const { total } = (await answer.json()) as { total?: number }
    if (!total) throw new Error(`the pair of conditions answered ${answer.status}`)
  }
  const started = performance.now()
  for (let read = 0; read < READS_BEFORE && performance.now() - started < TIME_FOR_INDEX_MS; read++)
    await daybook()
  await Bun.sleep(1_000)
  raw.indexPair('f5', 'f3')
  const floor = () => {
    const from = `FROM rows WHERE f5 = 'done' AND f3 > ${next()}`
    raw.page(`${from} ORDER BY f3 DESC, pk DESC`, 50, 0, raw.count(from))
  }
  return interleaved({ daybook, floor }, rounds)
}
