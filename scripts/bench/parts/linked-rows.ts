import { join } from 'node:path'
import { type Dataset, openDataset, temporaryFolder } from '../dataset.ts'
import { interleaved } from '../measure.ts'
import { type Section, timesRow } from '../results.ts'

const CUSTOMERS = 10_000
const PRODUCTS = 1_000
const LINKS = 10
const BATCH = 500
/** Pages beyond this row would measure the way to them. */
const NEAR = 1_000
const GOAL = { maxRatio: 3 }

async function post(data: Dataset, path: string, body: object): Promise<{ records: { id: string }[] }> {
  const answer = await data.fetch(path, { method: 'POST', body: JSON.stringify(body) })
  if (answer.status !== 201) throw new Error(await answer.text())
  return (await answer.json()) as { records: { id: string }[] }
}

/** Writes rows in batches; returns their ids. */
async function write(data: Dataset, structure: string, rows: readonly object[]): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < rows.length; at += BATCH) {
    const sent = rows.slice(at, at + BATCH).map((row) => ({ data: row }))
    const { records } = await post(data, '/v1/records', { structure, rows: sent })
    ids.push(...records.map(({ id }) => id))
  }
  return ids
}

const times = <Item>(count: number, make: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at))

/** Structures with equal rows, `Customers` with two roll-ups over the orders and `Plain` without. */
async function fill(data: Dataset, orders: number): Promise<void> {
  const structures = '/v1/records/structures'
  const name = { key: 'name', type: 'text' }
  const fields = [name, { key: 'products', type: 'record', structure: 'Products', multiple: true }]
  await post(data, structures, { name: 'Products', fields: [name], label_field: 'name' })
  for (const structure of ['Customers', 'Plain']) await post(data, structures, { name: structure, fields })
  const customer = { key: 'customer', type: 'record', structure: 'Customers' }
  await post(data, structures, { name: 'Orders', fields: [customer, { key: 'amount', type: 'number' }] })
  const via = { structure: 'Orders', field: 'customer' }
  const rollups = [
    { key: 'orders', type: 'rollup', via, function: 'count' },
    { key: 'amount', type: 'rollup', via, function: 'sum', field: 'amount' },
  ]
  await data.fetch(`${structures}/Customers`, {
    method: 'PATCH',
    body: JSON.stringify({ fields: [...fields, ...rollups] }),
  })
  const products = await write(
    data,
    'Products',
    times(PRODUCTS, (at) => ({ name: `Product ${at}` })),
  )
  const rows = times(CUSTOMERS, (at) => ({
    name: `Customer ${at}`,
    products: times(LINKS, (link) => products[(at * 7 + link * 31) % PRODUCTS]),
  }))
  const customers = await write(data, 'Customers', rows)
  await write(data, 'Plain', rows)
  const order = (at: number) => ({ customer: customers[(at * 7_919) % CUSTOMERS], amount: (at % 997) / 4 })
  await write(data, 'Orders', times(orders, order))
}

/** Enough reads for the service to index the field that links the orders. */
const READS_BEFORE = 60

/** Measures pages whose rows name other rows, and count rows that name them, beside pages that do not. */
export async function benchLinkedRows(orders: number, rounds: number): Promise<Section> {
  const data = await openDataset(join(temporaryFolder(), 'linked.db'))
  await fill(data, orders)
  let page = 0
  const read =
    (structure: string, more = '') =>
    async () => {
      page += 1
      const answer = await data.fetch(
        `/v1/records?structure=${structure}&offset=${(page * 50) % NEAR}${more}`,
      )
      if (answer.status !== 200) throw new Error(await answer.text())
      await answer.text()
    }
  const expand = '&expand=products'
  for (let at = 0; at < READS_BEFORE; at++) await read('Customers', expand)()
  await Bun.sleep(1_000)
  const floor = read('Plain')
  const lines = [
    ['two roll-ups', read('Customers')],
    ['ten links a row, expanded', read('Plain', expand)],
    ['both', read('Customers', expand)],
  ] as const
  const rows = []
  for (const [what, daybook] of lines) {
    const found = await interleaved({ daybook, floor }, rounds)
    rows.push(timesRow(`page of 50 with ${what}`, found.daybook, found.floor, GOAL))
  }
  data.close()
  return {
    title: `Roll-ups over ${orders.toLocaleString('en-US')} rows, and expand`,
    rows,
    remark: 'The floor is the same page without them.',
  }
}
