import { expect, test } from 'bun:test'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { killed } from '../support/kills.ts'
import { everyPage } from '../support/pages.ts'
import type { ServerProcess } from '../support/process.ts'
import { declare, field, write } from '../support/records.ts'
import { until } from '../support/webhooks.ts'

const BATCHES = 6
const PATH = '/v1/records/structures/Rows'

/** Two formulas that change together: in every row, the second is one more than the first. */
const fieldsWith = (factor: number) => [
  field('name', 'text'),
  field('n', 'number'),
  field('product', 'formula', { expression: `{n} * ${factor}` }),
  field('next', 'formula', { expression: `{n} * ${factor} + 1` }),
]

interface Stored {
  readonly id: string
  readonly data: {
    readonly name?: string
    readonly n: number
    readonly product: number
    readonly next: number
  }
}

const rowsOf = async (server: ServerProcess): Promise<Stored[]> => {
  const rows: Stored[] = await everyPage(server, '/v1/records?structure=Rows&limit=500', 'records')
  expect(rows.filter(({ data }) => data.next !== data.product + 1)).toEqual([])
  return rows
}

/** Changes both expressions again and again until the server is gone; returns the last factor that it accepted. */
async function changeExpressions(server: ServerProcess, from: number): Promise<number> {
  for (let factor = from + 1; ; factor++) {
    const sent = server.patch(PATH, { fields: fieldsWith(factor) })
    if (!(await sent.catch(() => undefined))) return factor - 1
  }
}

test(
  'a kill while formulas are computed again leaves no row with values of two expressions, and none that is old',
  () => {
    let factor = 1
    return killed({
      kills: runs(3, 30),
      writers: 2,
      after: (kill) => 8 + ((kill * 5) % 7),
      prepare: async (server) => {
        await declare(server, 'Rows', fieldsWith(factor))
        const rows = Array.from({ length: 500 }, (_, n) => ({ n }))
        for (let batch = 0; batch < BATCHES; batch++) await write(server, 'Rows', ...rows)
      },
      next: ({ name, count }) => {
        const data = { name: `${name} ${count}`, n: count }
        return {
          subject: data.name,
          state: count,
          send: (server) => server.post('/v1/records', { structure: 'Rows', data }),
        }
      },
      beside: async (server) => {
        factor = await changeExpressions(server, factor)
      },
      found: async (server) => {
        const named = (await rowsOf(server)).filter(({ data }) => data.name !== undefined)
        return new Map(named.map(({ id, data }) => [data.name ?? '', { id, state: data.n }]))
      },
      verify: async (server) => {
        const formula = async () => (await server.get(PATH)).body.structure.fields[2]
        await until(async () => !(await formula()).computing)
        const used = Number((await formula()).expression.slice('{n} * '.length))
        // The last change may have been committed without a response.
        expect([factor, factor + 1]).toContain(used)
        expect((await rowsOf(server)).filter(({ data }) => data.product !== data.n * used)).toEqual([])
      },
    })
  },
  RANDOM_CASES_MS,
)
