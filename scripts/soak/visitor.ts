import { connect, type Socket } from 'node:net'
import type { Random } from '../random.ts'
import type { ApiOptions } from './api.ts'
import type { NoteLedger } from './note-ledger.ts'
import { ROWS } from './objects.ts'

export interface VisitorOptions extends ApiOptions {
  readonly random: Random
  readonly notes: NoteLedger
}

/** Comes on a bare connection and is gone before the answer is. */
export class Visitor {
  readonly #options: VisitorOptions
  #count = 0

  constructor(options: VisitorOptions) {
    this.#options = options
  }

  async step(): Promise<void> {
    const { random } = this.#options
    await random.pick([this.#halfRequest, this.#noWaiting, this.#halfStream, this.#longSilence]).call(this)
  }

  async #visit(name: string, text: string, stayMs: number): Promise<void> {
    const { server, tally, random } = this.#options
    const { hostname, port } = new URL(await server.url)
    tally.fault(name)
    await new Promise<void>((resolve) => {
      const socket: Socket = connect(Number(port), hostname, () => {
        socket.write(text)
        setTimeout(() => (random.chance(0.5) ? socket.resetAndDestroy() : socket.destroy()), stayMs)
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve())
    })
  }

  #head(method: string, path: string, more: string): string {
    return `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${this.#options.server.key}\r\n${more}\r\n`
  }

  #note(): { title: string; body: string; head: string } {
    const title = `visitor note ${this.#count++}`
    const body = JSON.stringify({ title, content: 'left behind' })
    return { title, body, head: this.#head('POST', '/v1/notes', `Content-Length: ${body.length}\r\n`) }
  }

  /** Of half a note, nothing may stay: nobody is told to expect it. */
  #halfRequest(): Promise<void> {
    const { head, body } = this.#note()
    return this.#visit('a client leaves in mid-request', head + body.slice(0, -5), 20)
  }

  #noWaiting(): Promise<void> {
    const { title, head, body } = this.#note()
    const { notes, random } = this.#options
    notes.doubtNew({ title, content: 'left behind', tags: [], isTrashed: false })
    return this.#visit('a client does not wait', head + body, random.below(3))
  }

  #halfStream(): Promise<void> {
    const text = this.#head('GET', `/v1/records/watch?structure=${ROWS}&limit=500`, '')
    return this.#visit('a client leaves in mid-stream', text, this.#options.random.below(400))
  }

  #longSilence(): Promise<void> {
    return this.#visit('a client says nothing', 'GET /v1/me HTTP/1.1\r\n', 1_000)
  }
}
