import { queryOf } from '../../../test/support/records.ts'
import type { Random } from '../../lib/random.ts'
import type { Client } from '../client.ts'
import { type Fixtures, LANES, ROWS, TAGS } from '../fixtures.ts'
import type { Violations } from '../report.ts'
import { type RetryingWriter, uniqueWordOf } from './note-writer.ts'

export interface ReaderOptions {
  readonly api: Client
  readonly random: Random
  readonly fixtures: Fixtures
  readonly retrying: RetryingWriter
  readonly violations: Violations
}

/** Sends every kind of read. */
export class Reader {
  readonly #options: ReaderOptions

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  async step(): Promise<void> {
    const { random, fixtures } = this.#options
    const offset = random.chance(0.5) ? 0 : random.below(500)
    const paths = [
      ['list notes', `/v1/notes?${queryOf({ tag: random.pick(TAGS), limit: 20, offset })}`],
      ['list notes', `/v1/notes?${queryOf({ sort: 'title', limit: 20, offset })}`],
      [
        'search notes',
        `/v1/notes?${queryOf({ search: random.pick(['word', 'wor*', '"other end"', 'step -line']) })}`,
      ],
      ['list the trash', '/v1/notes/trash?limit=20'],
      ['read a view', `/v1/views/${fixtures.viewId}/notes?limit=20`],
      ['read the graph', '/v1/graph'],
      ['read tags', '/v1/tags'],
      ['read files', '/v1/files'],
      ['search files', '/v1/files/search?q=tea'],
      ['read the workspace', '/v1/workspace'],
      ['list rows', `/v1/records?${queryOf({ structure: ROWS, sort: 'amount', limit: 50, offset })}`],
      [
        'search rows',
        `/v1/records?${queryOf({ structure: ROWS, filter: [{ field: '*', op: 'contains', value: 'row1' }] })}`,
      ],
      ['summarise rows', `/v1/records/summary?${queryOf({ structure: ROWS, field: 'amount', by: 'lane' })}`],
      ['read the document', '/openapi.json'],
    ] as const
    if (random.chance(0.2)) return this.#query()
    if (random.chance(0.2)) return this.#filter()
    if (random.chance(0.2)) return this.#findNote()
    const [name, path] = random.pick(paths)
    await this.#options.api.send({ name, path })
  }

  async #query(): Promise<void> {
    const { api, random } = this.#options
    const title = { type: 'field', field: 'title', op: 'contains', value: `note ${random.below(50)}` }
    const recent = {
      type: 'field',
      field: 'created_at',
      op: 'within',
      value: { relative: { n: -2, unit: 'day' } },
    }
    const filter = { type: 'group', match: random.pick(['all', 'any', 'none']), children: [title, recent] }
    await api.send({
      name: 'query notes',
      method: 'POST',
      path: '/v1/notes/query',
      body: { filter, limit: 20 },
    })
  }

  /** Every row of the response must match the filter. */
  async #filter(): Promise<void> {
    const { api, random, violations } = this.#options
    const lane = random.pick(LANES)
    const filter = [
      { field: 'lane', op: 'eq', value: lane },
      { field: 'round', op: 'gte', value: 1 },
    ]
    const path = `/v1/records?${queryOf({ structure: ROWS, filter, limit: 100 })}`
    const outcome = await api.send({ name: 'filter rows', path })
    if (outcome.kind !== 'done') return
    const rows = outcome.body.records as { data: { lane: string; round: number } }[]
    const wrong = rows.find(({ data }) => data.lane !== lane || data.round < 1)
    if (wrong) violations.add('search', `lane ${lane} returned ${JSON.stringify(wrong)}`)
  }

  /** An acknowledged note is found by the word that only it contains. */
  async #findNote(): Promise<void> {
    const { api, random, retrying, violations } = this.#options
    if (retrying.written === 0) return
    const word = uniqueWordOf(random.below(retrying.written))
    const outcome = await api.send({ name: 'find a note', path: `/v1/notes?${queryOf({ search: word })}` })
    if (outcome.kind === 'done' && outcome.body.total !== 1)
      violations.add('search', `${word} finds ${outcome.body.total} notes, not 1`)
  }
}
