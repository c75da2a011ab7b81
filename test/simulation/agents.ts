import type { Random } from '../../scripts/lib/random.ts'
import type { Ledger } from './ledger.ts'
import { Violation, type World } from './world.ts'

/* An agent that creates notes and reads them over MCP. */

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
}
const RETRY_MS = 300
const MAX_ATTEMPTS = 400

export class Agents {
  constructor(
    private readonly world: World,
    private readonly ledger: Ledger,
  ) {}

  /** Creates a note with an idempotency key until that is acknowledged, and reads it. */
  async createNote(random: Random): Promise<void> {
    const entry = this.ledger.newEntry('note', 'agent')
    const data = { title: entry.name, content: `A thought ${random.below(1_000)}`, tags: [] }
    this.ledger.reserve(entry)
    this.ledger.entries.push(entry)
    const created = await this.#use('create_note', {
      ...data,
      idempotency_key: this.ledger.newIdempotencyKey(),
    })
    Object.assign(entry, { id: created.note.id, data })
    const read = await this.#use('read_note', { note: entry.id })
    if (read.note.title !== data.title || read.content !== data.content)
      throw new Violation(`an agent reads ${JSON.stringify(read)}, not ${JSON.stringify(data)}`)
    entry.isBusy = false
  }

  /** Calls a tool until it succeeds; refusals of a server that cannot write at the moment are temporary. */
  // biome-ignore lint/suspicious/noExplicitAny: a result is checked by what an actor expects of it
  async #use(name: string, input: object): Promise<any> {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const reply = await this.world.callUntilAnswered({
        method: 'POST',
        path: '/mcp',
        body,
        headers: HEADERS,
      })
      const { result } = reply.body
      if (reply.status !== 200 || !result)
        throw new Violation(`the tool ${name} is answered ${reply.status}: ${JSON.stringify(reply.body)}`)
      if (!result.isError) return result.structuredContent
      if (result._meta?.code !== 'unavailable')
        throw new Violation(`the tool ${name} refuses: ${JSON.stringify(result)}`)
      await this.world.platform.sleep(RETRY_MS * (1 + this.world.random.next()))
    }
    throw new Violation(`the tool ${name} never succeeds`)
  }
}
