import type { Random } from '../../lib/random.ts'
import type { Client, Request } from '../client.ts'
import { LANES, ROWS } from '../fixtures.ts'
import type {
  ExpectedRows,
  FoundRow,
  RowChange,
  RowData,
  RowState,
  RowWrite,
} from '../oracle/expected-rows.ts'
import type { Violations } from '../report.ts'

const MAX_BATCH = 60
const MAX_OWN = 400

export interface WriterKey {
  readonly id: string
  readonly key: string
}

export interface RowWriterOptions {
  readonly name: string
  readonly api: Client
  readonly random: Random
  readonly expected: ExpectedRows
  readonly key: WriterKey
  readonly violations: Violations
}

/** Writes its own rows, one request at a time, so that it always knows their state. */
export class RowWriter {
  readonly #options: RowWriterOptions
  readonly #own: RowState[] = []
  #count = 0

  constructor(options: RowWriterOptions) {
    this.#options = options
  }

  async step(): Promise<void> {
    const { random } = this.#options
    if (this.#own.length < 10 || random.chance(0.15)) return this.#create(1)
    if (random.chance(0.08)) return this.#create(random.between(2, MAX_BATCH))
    if (random.chance(0.08)) return this.#upsertBatch()
    const row = this.#take()
    if (row.isDeleted) return this.#restore(row)
    if (random.chance(0.15)) return this.#delete(row)
    return random.chance(0.3) ? this.#upsert([row]) : this.#patch(row)
  }

  /** Removes one of its own rows from the pool, until a response reports the row's current state. */
  #take(): RowState {
    const { random } = this.#options
    const [row] = this.#own.splice(random.below(this.#own.length), 1)
    if (!row) throw new Error('a writer has no rows')
    return row
  }

  #newData(batch: string | undefined, place: number): RowData {
    const { random, name } = this.#options
    const count = this.#count++
    return {
      key: `${name}-${count}`,
      lane: random.pick(LANES),
      round: 0,
      amount: random.below(1_000),
      text: `row${count} ${'word '.repeat(random.below(30))}`,
      ...(batch !== undefined && { batch, place }),
    }
  }

  #changed({ data }: RowState): RowData {
    const { random } = this.#options
    const amount = random.chance(0.5) ? data.amount + 1 : data.amount
    return { ...data, round: data.round + 1, amount }
  }

  #create(count: number): Promise<void> {
    const batch = count > 1 ? `${this.#options.name}/${this.#count}` : undefined
    const changes = Array.from({ length: count }, (_, place) => ({
      before: undefined,
      after: { data: this.#newData(batch, place), isDeleted: false },
    }))
    return this.#post(count > 1 ? 'write a batch' : 'write a row', changes, {})
  }

  /** Changes all live rows of one of its batches together. */
  #upsertBatch(): Promise<void> {
    const { batch } = this.#own.find(({ data, isDeleted }) => data.batch && !isDeleted)?.data ?? {}
    if (batch === undefined) return this.#create(2)
    const rows = this.#own.filter(({ data, isDeleted }) => data.batch === batch && !isDeleted)
    for (const row of rows) this.#own.splice(this.#own.indexOf(row), 1)
    return this.#upsert(rows)
  }

  #upsert(rows: readonly RowState[]): Promise<void> {
    const changes = rows.map((before) => ({
      before,
      after: { data: this.#changed(before), isDeleted: false },
    }))
    return this.#post('upsert rows', changes, { on_conflict: 'update' })
  }

  async #post(name: string, changes: RowChange[], more: object): Promise<void> {
    const rows = changes.map(({ after }) => ({ data: after.data }))
    const [first] = rows
    const body = { structure: ROWS, ...more, ...(rows.length === 1 ? first : { rows }) }
    const request = { name, method: 'POST', path: '/v1/records', body, status: 201 }
    await this.#write(request, changes, ({ records }) => records)
  }

  #patch(before: RowState): Promise<void> {
    const data = this.#changed(before)
    const { round, amount } = data
    const request = {
      name: 'patch a row',
      method: 'PATCH',
      path: `/v1/records/${before.id}`,
      body: { data: { round, amount } },
    }
    return this.#write(request, [{ before, after: { data, isDeleted: false } }], ({ record }) => [record])
  }

  #delete(before: RowState): Promise<void> {
    const request = { name: 'delete a row', method: 'DELETE', path: `/v1/records/${before.id}` }
    return this.#write(request, [{ before, after: { ...before, isDeleted: true } }], ({ id }) => [
      { id, data: before.data },
    ])
  }

  #restore(before: RowState): Promise<void> {
    const request = { name: 'restore a row', method: 'POST', path: `/v1/records/${before.id}/restore` }
    return this.#write(request, [{ before, after: { ...before, isDeleted: false } }], ({ record }) => [
      record,
    ])
  }

  async #write(
    request: Request,
    changes: RowChange[],
    // biome-ignore lint/suspicious/noExplicitAny: checked below
    rowsIn: (body: any) => FoundRow[],
  ): Promise<void> {
    const { api, expected, key } = this.#options
    const write = { keyId: key.id, changes }
    const outcome = await api.send({ ...request, key: key.key })
    if (outcome.kind === 'done') this.#onResponse(write, rowsIn(outcome.body))
    else if (outcome.kind === 'unknown') expected.addUncertain(write)
    else this.#keep(changes.flatMap(({ before }) => before ?? []))
  }

  #onResponse(write: RowWrite, rows: readonly FoundRow[]): void {
    const { expected, violations } = this.#options
    for (const [at, { before, after }] of write.changes.entries()) {
      const { id, data } = rows[at] ?? {}
      const isGood = Bun.deepEquals(data, after.data) && (!before || before.id === id)
      if (!isGood) violations.add('rows', `${after.data.key} was returned as ${JSON.stringify(rows[at])}`)
    }
    this.#keep(
      expected.acknowledge(
        write,
        rows.map(({ id }) => id),
      ),
    )
  }

  /** Keeps the newest rows for later changes. */
  #keep(rows: readonly RowState[]): void {
    this.#own.push(...rows)
    this.#own.splice(0, this.#own.length - MAX_OWN)
  }
}
