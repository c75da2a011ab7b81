import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

export type BunListener = Pick<
  ReturnType<typeof Bun.serve>,
  'port' | 'pendingRequests' | 'stop' | 'closeIdleConnections'
>

/** What accepts connections. */
export interface Listener {
  readonly port: number | undefined
  /** Requests that are not finished. */
  readonly pendingRequests: number
  /** Accepts no more connections, and with `closeAll` closes those that are open. */
  stop(closeAll?: boolean): Promise<void>
}

const CHECK_MS = 500
/** How many files must be possible to open before connections are accepted again. */
const ENOUGH = 4

/** Whether this process may open this many more files. */
function canOpen(count: number): boolean {
  const opened: number[] = []
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'))
    return true
  } catch (error) {
    const { code } = error as { code?: string }
    return code !== 'EMFILE' && code !== 'ENFILE'
  } finally {
    for (const file of opened) closeSync(file)
  }
}

/**
 * Listens, except while the process has as many open files as it may have: Bun would try to accept the next connection
 * over and over, on a whole core. Idle connections are closed first; if that is not enough, no connection is accepted
 * until some are closed. Running requests and streams go on.
 */
export class GuardedListener implements Listener {
  readonly port: number | undefined
  #current: BunListener | undefined
  readonly #former = new Set<BunListener>()
  #cancelCheck: () => void

  /** `listen` is given undefined, and later the port that was taken. */
  constructor(
    private readonly listen: (port?: number) => BunListener,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.#current = listen()
    this.port = this.#current.port
    this.#cancelCheck = clock.after(CHECK_MS, this.#check)
  }

  get pendingRequests(): number {
    let count = this.#current?.pendingRequests ?? 0
    for (const former of this.#former) count += former.pendingRequests
    return count
  }

  async stop(closeAll = false): Promise<void> {
    this.#cancelCheck()
    const all = [...this.#former, ...(this.#current ? [this.#current] : [])]
    await Promise.all(all.map((listener) => listener.stop(closeAll)))
  }

  readonly #check = (): void => {
    if (this.#current) this.#pauseWhenExhausted(this.#current)
    else if (canOpen(ENOUGH)) this.#resume()
    this.#cancelCheck = this.clock.after(CHECK_MS, this.#check)
  }

  #pauseWhenExhausted(current: BunListener): void {
    if (canOpen(1) || current.closeIdleConnections() > 0) return
    this.#current = undefined
    this.#former.add(current)
    void current.stop().then(() => this.#former.delete(current))
    this.log.warn('no connection is accepted until some are closed: too many files are open')
  }

  #resume(): void {
    try {
      this.#current = this.listen(this.port)
      this.log.info('connections are accepted again')
    } catch (error) {
      this.log.warn('connections cannot be accepted again yet', { error: String(error) })
    }
  }
}
