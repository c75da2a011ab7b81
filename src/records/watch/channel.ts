import type { AppContext } from '../../context.ts'
import { asUnavailable } from '../../db/errors.ts'
import type { StreamEvent } from '../../http/sse.ts'
import { Refusal } from '../../refusal.ts'
import { getStructure } from '../../structures/service.ts'
import type { StructureRow } from '../../structures/store.ts'
import { readPage } from '../query/read.ts'
import { closedEvent, problemEvent } from './ending.ts'
import type { WatchHistory } from './history.ts'
import { type Moments, Telling, type WatchedPage, watchedPage } from './page.ts'
import type { Question } from './query.ts'
import type { Turns } from './scheduler.ts'
import type { Follower } from './subscriber.ts'

/** What the rooms of a server share. */
export interface RoomSharing {
  readonly ctx: AppContext
  readonly turns: Turns
  readonly history: WatchHistory
}

/** So long changes are gathered before they are told of (contract, section 6). */
const MERGE_MS = 250
/** After so long a question that failed is asked again. */
const RETRY_MS = 5_000
/** So many readers are told before requests get their turn: some milliseconds of sending. */
const TOLD_AT_ONCE = 500

type Outcome =
  | { readonly page: WatchedPage }
  | { readonly problem: StreamEvent }
  | { readonly closed: StreamEvent }

/** While this says the same, so does every answer. */
const stampOf = ({ changes, updatedAt }: StructureRow): string => `${changes} ${updatedAt}`

/** All who ask one question: it is asked once for them together, and the answer is written out once. */
export class WatchRoom {
  readonly #sharing: RoomSharing
  readonly #question: Question
  readonly #stopListening: () => void
  readonly #followers = new Set<Follower>()
  /** Those who have had no answer yet. */
  readonly #newcomers = new Set<Follower>()
  #latest: WatchedPage | undefined
  #stamp: string | undefined
  #timer: { readonly at: number; readonly stop: () => void } | undefined
  #isDue = false
  #isRunning = false
  /** Whether pages are kept for those who come back. */
  #tellsChanges = false

  constructor(sharing: RoomSharing, question: Question) {
    this.#sharing = sharing
    this.#question = question
    this.#stopListening = sharing.ctx.bus.onWake(question.structureId, () => this.#runWithin(MERGE_MS))
  }

  get size(): number {
    return this.#followers.size + this.#newcomers.size
  }

  /** Lets one in who is told the answer at once. `lastEventId` names the page that was seen before, if any. */
  join(follower: Follower, lastEventId: string | undefined): void {
    this.#tellsChanges ||= follower.wantsChanges
    if (lastEventId !== undefined && follower.wantsChanges) follower.resume(this.#momentsOf(lastEventId))
    this.#newcomers.add(follower)
    void this.#run()
  }

  leave(follower: Follower): void {
    this.#newcomers.delete(follower)
    this.#followers.delete(follower)
  }

  /** Called when the last one has left. */
  close(): void {
    this.#stopListening()
    this.#timer?.stop()
    this.#timer = undefined
    this.#keepLatest()
  }

  #momentsOf(pageId: string): Moments | undefined {
    if (pageId === this.#latest?.id) return this.#latest.moments
    return this.#sharing.history.find(this.#question.key, pageId)
  }

  #keepLatest(): void {
    if (this.#latest && this.#tellsChanges) this.#sharing.history.keep(this.#question.key, this.#latest)
  }

  #runWithin(delayMs: number): void {
    const { clock } = this.#sharing.ctx
    const at = clock.now() + delayMs
    if (this.#timer && this.#timer.at <= at) return
    this.#timer?.stop()
    const stop = clock.after(delayMs, () => {
      this.#timer = undefined
      this.#isDue = true
      void this.#run()
    })
    this.#timer = { at, stop }
  }

  /** One run after the other; what becomes due during one, and who comes during one, causes another. */
  async #run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    while (this.#isDue || this.#newcomers.size > 0) {
      await this.#sharing.turns.next()
      if (this.size === 0) break
      const isForAll = this.#isDue
      this.#isDue = false
      const newcomers = [...this.#newcomers]
      const outcome = await this.#look()
      // Who has come meanwhile may have written something after the look began, and must see it.
      const told = newcomers.filter((newcomer) => this.#newcomers.delete(newcomer))
      for (const newcomer of told) this.#followers.add(newcomer)
      await this.#tell(outcome, isForAll ? [...this.#followers] : told)
    }
    this.#isRunning = false
  }

  async #look(): Promise<Outcome> {
    try {
      return { page: await this.#currentPage() }
    } catch (thrown) {
      const error = asUnavailable(thrown)
      if (error instanceof Refusal && error.code === 'not_found')
        return { closed: closedEvent('structure_deleted') }
      if (!(error instanceof Refusal)) this.#sharing.ctx.log.error('a watch failed', { error: String(error) })
      return { problem: problemEvent(error) }
    }
  }

  async #currentPage(): Promise<WatchedPage> {
    const { ctx } = this.#sharing
    const { structureId, request } = this.#question
    if (this.#latest && this.#stamp === stampOf(getStructure(ctx.db, this.#question, structureId)))
      return this.#latest
    const { structure, page } = await readPage(ctx, this.#question, request)
    this.#stamp = stampOf(structure)
    const next = watchedPage(structure, page)
    if (next.text === this.#latest?.text) return this.#latest
    this.#keepLatest()
    this.#latest = next
    return next
  }

  async #tell(outcome: Outcome, followers: readonly Follower[]): Promise<void> {
    if ('closed' in outcome) {
      for (const follower of [...this.#followers, ...this.#newcomers]) follower.end(outcome.closed)
    } else if ('problem' in outcome) {
      for (const follower of followers) follower.tellProblem(outcome.problem)
      if (this.size > 0) this.#runWithin(RETRY_MS)
    } else {
      const telling = new Telling(outcome.page)
      for (let told = 0; told < followers.length; told += TOLD_AT_ONCE) {
        if (told > 0) await this.#sharing.turns.next()
        for (const follower of followers.slice(told, told + TOLD_AT_ONCE)) follower.tell(telling)
      }
    }
  }
}
