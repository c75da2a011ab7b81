import type { AppContext } from '../context.ts'

/** An event as it is posted. */
export interface MirrorEvent {
  readonly pk: number
  readonly id: string
  readonly type: string
  readonly record: string
  readonly body: string
}

/** Posts an event; resolves to false where nobody answered, so that it must be posted again. */
export type PostEvent = (event: MirrorEvent) => Promise<boolean>

const RETRY_MS = 1_000

/**
 * Posts the stored events in order, each until somebody answers, and then forgets it. One that was posted just before
 * this process was killed is posted again.
 */
export class Forwarding {
  #isRunning = false
  /** Cancels the next try, where one waits: nothing is posted before it. */
  #stopRetry: (() => void) | undefined
  /** The last event that somebody answered: it is not posted again when it could not be deleted. */
  #posted: number | undefined

  constructor(
    private readonly ctx: AppContext,
    private readonly post: PostEvent,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', () => this.#stopRetry?.())
  }

  wake(): void {
    if (this.#isRunning || this.#stopRetry || this.signal.aborted) return
    this.#isRunning = true
    this.#postAll().catch((error) => {
      this.ctx.log.warn('events cannot be posted', { error: String(error) })
      this.#tryLater()
    })
  }

  async #postAll(): Promise<void> {
    for (let event = this.#next(); event; event = this.#next()) {
      if (this.signal.aborted) return
      const { pk } = event
      if (pk !== this.#posted && !(await this.post(event))) return this.#tryLater()
      this.#posted = pk
      await this.ctx.db.write(({ sql }): void => {
        sql.run('DELETE FROM mirror_events WHERE pk = ?', pk)
      })
    }
    this.#isRunning = false
  }

  #tryLater(): void {
    this.#isRunning = false
    if (this.signal.aborted) return
    this.#stopRetry = this.ctx.clock.after(RETRY_MS, () => {
      this.#stopRetry = undefined
      this.wake()
    })
  }

  #next(): MirrorEvent | undefined {
    return this.ctx.db.sql.get<MirrorEvent>(
      'SELECT pk, id, type, record, body FROM mirror_events ORDER BY pk LIMIT 1',
    )
  }
}

/** For a mirror that forwards nothing: what an earlier one left is not posted later. */
export const forgetEvents = ({ db }: Pick<AppContext, 'db'>): Promise<void> =>
  db.write(({ sql }): void => {
    sql.run('DELETE FROM mirror_events')
  })
