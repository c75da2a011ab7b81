import type { Clock } from '../../lib/clock.ts'
import type { Moments, WatchedPage } from './page.ts'

interface KeptPage {
  readonly question: string
  readonly moments: Moments
  readonly since: number
}

const KEPT_MS = 300_000
const RECORDS_KEPT = 100_000
/** A page without records takes room too. */
const ROOM_OF_A_PAGE = 5

const roomOf = ({ moments }: Pick<KeptPage, 'moments'>): number => moments.size + ROOM_OF_A_PAGE

/**
 * The pages that readers saw last, for some minutes and up to a bound: one that comes back is told what
 * changed since, whatever happened in between.
 */
export class WatchHistory {
  /** By page id, oldest first. */
  readonly #pages = new Map<string, KeptPage>()
  #room = 0

  constructor(private readonly clock: Clock) {}

  keep(question: string, { id, moments }: WatchedPage): void {
    this.#forget(id)
    const page = { question, moments, since: this.clock.now() }
    this.#pages.set(id, page)
    this.#room += roomOf(page)
    this.#forgetOld()
  }

  /** Undefined when it is not known any more, or was the answer to another question. */
  find(question: string, id: string): Moments | undefined {
    this.#forgetOld()
    const page = this.#pages.get(id)
    return page?.question === question ? page.moments : undefined
  }

  #forgetOld(): void {
    const oldest = this.clock.now() - KEPT_MS
    for (const [id, { since }] of this.#pages) {
      if (since >= oldest && this.#room <= RECORDS_KEPT) return
      this.#forget(id)
    }
  }

  #forget(id: string): void {
    const page = this.#pages.get(id)
    if (!page) return
    this.#pages.delete(id)
    this.#room -= roomOf(page)
  }
}
