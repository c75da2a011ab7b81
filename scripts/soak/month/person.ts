import { createHmac } from 'node:crypto'
import type { Random } from '../../lib/random.ts'
import type { Client } from '../client.ts'
import { ROWS, type Team } from './team.ts'

export const SOURCE_SECRET = 'a secret of the soak'
const MAX_BATCH = 40

const WORDS = ['plan', 'letter', 'meeting', 'invoice', 'garden', 'train', 'answer', 'winter', 'draft', 'list']

/** The activity of people, their agents and outside services in a workspace. */
export class Person {
  #count = 0

  constructor(
    readonly api: Client,
    readonly random: Random,
    readonly name: string,
  ) {}

  /** Simulates some minutes of work in one workspace. */
  async visit(team: Team): Promise<void> {
    await team.send(this.api, { name: 'list notes', path: '/v1/notes?limit=20&content=false' })
    for (let steps = this.random.between(2, 6); steps > 0; steps--) await this.#step(team)
  }

  #step(team: Team): Promise<void> {
    const { random } = this
    if (team.source !== undefined && random.chance(0.2)) return this.#call(team, team.source)
    if (random.chance(0.5)) return this.#read(team)
    return random.chance(0.5) ? this.#writeNote(team) : this.#writeRow(team)
  }

  async #read(team: Team): Promise<void> {
    const { api, random } = this
    const word = random.pick(WORDS)
    const kind = random.below(4)
    if (kind === 0)
      await team.send(api, { name: 'search notes', path: `/v1/notes?search=${word}&limit=10&content=false` })
    else if (kind === 1) await this.#ask(team, word)
    else {
      const filter = JSON.stringify([{ field: 'status', op: 'eq', value: 'open' }])
      const query = new URLSearchParams({ structure: ROWS, ...(kind === 2 && { filter }), limit: '50' })
      await team.send(api, { name: 'page of rows', path: `/v1/records?${query}` })
    }
  }

  /** Searches as an agent. */
  async #ask(team: Team, query: string): Promise<void> {
    await team.send(this.api, {
      name: 'agent searches',
      method: 'POST',
      path: '/mcp',
      isRead: true,
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'search', arguments: { query } },
      },
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
    })
  }

  async #writeNote(team: Team): Promise<void> {
    const { api, random } = this
    const [id, state] = random.pick([...team.notes]) ?? []
    if (id === undefined || state === undefined || random.chance(0.4)) {
      const note = { title: this.#newName(), content: this.#text() }
      const created = await team.send(api, {
        name: 'create a note',
        method: 'POST',
        path: '/v1/notes',
        body: note,
        status: 201,
      })
      if (created) team.notes.set(created.note.id, note)
    } else if (random.chance(0.2)) {
      const path = `/v1/notes/${id}`
      if (await team.send(api, { name: 'trash a note', method: 'DELETE', path })) team.notes.delete(id)
    } else {
      const content = `${state.content}\n${this.#text()}`
      const path = `/v1/notes/${id}`
      if (await team.send(api, { name: 'edit a note', method: 'PATCH', path, body: { content } }))
        team.notes.set(id, { ...state, content })
    }
  }

  async #writeRow(team: Team): Promise<void> {
    const { api, random } = this
    const [id, state] = random.pick([...team.rows]) ?? []
    if (id === undefined || state === undefined || random.chance(0.4)) return this.#createRows(team)
    const path = `/v1/records/${id}`
    if (random.chance(0.2)) {
      if (!(await team.send(api, { name: 'delete a row', method: 'DELETE', path }))) return
      team.rows.delete(id)
    } else {
      const amount = state.amount + 1
      if (!(await team.send(api, { name: 'edit a row', method: 'PATCH', path, body: { data: { amount } } })))
        return
      team.rows.set(id, { ...state, amount })
    }
    team.rowChanges += 1
  }

  async #createRows(team: Team): Promise<void> {
    const { api, random } = this
    const count = random.chance(0.1) ? random.between(2, MAX_BATCH) : 1
    const rows = Array.from({ length: count }, () => ({
      data: { title: this.#newName(), amount: random.below(1_000) },
    }))
    const path = '/v1/records'
    const created = await team.send(api, {
      name: count === 1 ? 'create a row' : 'create a batch of rows',
      method: 'POST',
      path,
      body: { structure: ROWS, rows },
      status: 201,
    })
    if (!created) return
    for (const { id, data } of created.records) team.rows.set(id, { title: data.title, amount: data.amount })
    team.rowChanges += count
  }

  /** Posts an event as an outside service; the event becomes a row. */
  async #call(team: Team, source: string): Promise<void> {
    const title = this.#newName()
    const amount = this.random.below(1_000)
    const body = { title, amount }
    const signature = createHmac('sha256', SOURCE_SECRET).update(JSON.stringify(body)).digest('hex')
    const answer = await team.send(this.api, {
      name: 'webhook in',
      method: 'POST',
      path: source,
      body,
      headers: {
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-github-delivery': title,
        'x-hub-signature-256': `sha256=${signature}`,
      },
    })
    if (!answer) return
    const query = new URLSearchParams({
      structure: ROWS,
      filter: JSON.stringify([{ field: 'title', op: 'eq', value: title }]),
    })
    const page = await team.send(this.api, {
      name: 'read the row of a webhook',
      path: `/v1/records?${query}`,
    })
    const [row] = page?.records ?? []
    if (row) team.rows.set(row.id, { title, amount })
    team.rowChanges += 1
  }

  readonly #newName = () => `${this.name} ${++this.#count}`

  readonly #text = () =>
    Array.from({ length: this.random.between(5, 60) }, () => this.random.pick(WORDS)).join(' ')
}
