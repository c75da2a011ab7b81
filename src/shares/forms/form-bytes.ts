import type { AppContext } from '../../context.ts'
import { DAY_MS } from '../../lib/dates.ts'
import { unavailable } from '../../refusal.ts'

interface FormDay {
  readonly since: number
  readonly bytes: number
}

/** Counts the bytes that forms write within a day, by workspace. Counting begins anew when the server starts. */
export class FormBytes {
  readonly #days = new Map<number, FormDay>()

  constructor(private readonly ctx: Pick<AppContext, 'clock' | 'config'>) {}

  /** Counts a post until it is known whether it was written; throws when it does not fit. */
  begin(workspace: number, bytes: number): () => void {
    const now = this.ctx.clock.now()
    const day = this.#dayOf(workspace, now)
    if (day.bytes + bytes > this.ctx.config.formBytesPerDay)
      throw unavailable(
        'The forms of this workspace have received as much as they may in a day; nothing was kept. Try again tomorrow.',
        { retryAfterSeconds: Math.ceil((day.since + DAY_MS - now) / 1_000) },
      )
    this.#days.set(workspace, { ...day, bytes: day.bytes + bytes })
    return () => {
      const latest = this.#days.get(workspace)
      if (latest?.since === day.since) this.#days.set(workspace, { ...latest, bytes: latest.bytes - bytes })
    }
  }

  /** Of all workspaces. */
  get bytesToday(): number {
    const now = this.ctx.clock.now()
    return [...this.#days.keys()].reduce((sum, workspace) => sum + this.#dayOf(workspace, now).bytes, 0)
  }

  #dayOf(workspace: number, now: number): FormDay {
    const day = this.#days.get(workspace)
    return day && now >= day.since && now - day.since < DAY_MS ? day : { since: now, bytes: 0 }
  }
}
