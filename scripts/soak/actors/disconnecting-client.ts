import { connect, type Socket } from 'node:net'
import type { Random } from '../../lib/random.ts'
import type { ClientOptions } from '../client.ts'
import { ROWS } from '../fixtures.ts'
import type { ExpectedNotes } from '../oracle/expected-notes.ts'

export interface DisconnectingClientOptions extends ClientOptions {
  readonly random: Random
  readonly notes: ExpectedNotes
}

/** Connects with a plain socket and disconnects before the response. */
export class DisconnectingClient {
  readonly #options: DisconnectingClientOptions
  #count = 0

  constructor(options: DisconnectingClientOptions) {
    this.#options = options
  }

  async step(): Promise<void> {
    const { random } = this.#options
    await random.pick([this.#halfRequest, this.#noWait, this.#halfStream, this.#idleConnection]).call(this)
  }

  async #connect(name: string, text: string, openMs: number): Promise<void> {
    const { server, statistics, random } = this.#options
    const { hostname, port } = new URL(await server.url)
    statistics.fault(name)
    await new Promise<void>((resolve) => {
      const socket: Socket = connect(Number(port), hostname, () => {
        socket.write(text)
        setTimeout(() => (random.chance(0.5) ? socket.resetAndDestroy() : socket.destroy()), openMs)
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve())
    })
  }

  #head(method: string, path: string, more: string): string {
    return `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${this.#options.server.key}\r\n${more}\r\n`
  }

  #note(): { title: string; body: string; head: string } {
    const title = `unawaited note ${this.#count++}`
    const body = JSON.stringify({ title, content: 'left behind' })
    return { title, body, head: this.#head('POST', '/v1/notes', `Content-Length: ${body.length}\r\n`) }
  }

  /** Half a request must write nothing: the note is not expected. */
  #halfRequest(): Promise<void> {
    const { head, body } = this.#note()
    return this.#connect('a client disconnects in mid-request', head + body.slice(0, -5), 20)
  }

  #noWait(): Promise<void> {
    const { title, head, body } = this.#note()
    const { notes, random } = this.#options
    notes.addUncertainNew({ title, content: 'left behind', tags: [], isTrashed: false })
    return this.#connect('a client does not wait', head + body, random.below(3))
  }

  #halfStream(): Promise<void> {
    const text = this.#head('GET', `/v1/records/watch?structure=${ROWS}&limit=500`, '')
    return this.#connect('a client disconnects in mid-stream', text, this.#options.random.below(400))
  }

  #idleConnection(): Promise<void> {
    return this.#connect('a client stays silent', 'GET /v1/me HTTP/1.1\r\n', 1_000)
  }
}
