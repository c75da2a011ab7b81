import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

export type BunListener = Pick<
  ReturnType<typeof Bun.serve>,
  'port' | 'pendingRequests' | 'stop' | 'closeIdleConnections'
>

/** Accepts connections. */
export interface Listener {
  readonly port: number | undefined
  /** The number of unfinished requests. */
  readonly pendingRequests: number
  /** Accepts no more connections; `closeAll` also closes the open ones. */
  stop(closeAll?: boolean): Promise<void>
}

const CHECK_MS = 500
/** The number of files that must be available before connections are accepted again. */
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
 * Listens, except while the process is out of file descriptors: Bun would try to accept the next connection in a
 * loop, on a whole core. Idle connections are closed first; if that is not enough, no connection is accepted until
 * some are closed. Running requests and streams continue.
 */
export class GuardedListener implements Listener {
  readonly port: number | undefined
  #current: BunListener | undefined
  readonly #former = new Set<BunListener>()
  #cancelCheck: () => void

  /** `listen` is first called with undefined, and later with the port that it got. */
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
    this.log.warn('too many open files: new connections are accepted once others are closed')
  }

  #resume(): void {
    try {
      this.#current = this.listen(this.port)
      this.log.info('connections are accepted again')
    } catch (error) {
      this.log.warn('new connections cannot be accepted yet', { error: String(error) })
    }
  }
}
