import type { Clock } from '../../lib/clock.ts'
import type { Connection } from './connection.ts'

/** Below the 5 seconds after which many servers close a quiet connection themselves. */
const UNUSED_MS = 4_000
const MOST_FREE = 64

interface Member {
  readonly key: string
  readonly connection: Connection
  /** Calls off the end of a connection that is not used. */
  callOff: () => void
}

/** Every open connection; those that are free may be used again for the place they lead to. */
export class ConnectionPool {
  readonly #members = new Set<Member>()
  /** In the order in which they became free. */
  readonly #free = new Set<Member>()

  constructor(private readonly clock: Clock) {}

  get open(): number {
    return this.#members.size
  }

  get free(): number {
    return this.#free.size
  }

  /** Takes in a connection that is in use. From its status on it has 4 seconds to become free and be used again. */
  add(key: string, connection: Connection): void {
    const member: Member = { key, connection, callOff: () => {} }
    this.#members.add(member)
    connection.onStatus = () => {
      member.callOff = this.clock.after(UNUSED_MS, () => connection.destroy())
    }
    connection.onFree = () => {
      this.#free.add(member)
      if (this.#free.size > MOST_FREE) [...this.#free][0]?.connection.destroy()
    }
    connection.onOver = () => {
      member.callOff()
      this.#free.delete(member)
      this.#members.delete(member)
    }
  }

  /** Hands out a free connection to one of these places. */
  take(keys: readonly string[]): Connection | undefined {
    for (const member of this.#free) {
      if (!keys.includes(member.key)) continue
      member.callOff()
      this.#free.delete(member)
      return member.connection
    }
    return undefined
  }

  close(): void {
    for (const { connection } of [...this.#members]) connection.destroy()
  }
}
