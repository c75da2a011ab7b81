import type { Log } from '../../lib/log.ts'
import { unavailable } from '../../refusal.ts'

/** Brings commits to the disk. Writes are acknowledged after it, and until then no other write runs. */
export interface Sync {
  /** Whether the disk responded a moment ago; if not, a write runs only after `probe`. */
  readonly hasResponded: boolean
  /** Resolves once the disk responds; rejects if it fails. */
  probe(): Promise<void>
  /** Commits. The promise ends once that is on the disk; if it rejects, or `now` throws, it is uncertain. */
  commit(): Promise<void>
  /** Brings the last commit to the disk at once. */
  now(): void
}

/** Runs while writes wait. It must call `beginSync` before it waits for the disk; `onLate` is called if that takes too long. */
export type PausingAction<T> = (beginSync: (onLate: () => void) => void) => Promise<T>

/** The refusal of a write whose commit takes too long to get to the disk. */
export const notConfirmedYet = () =>
  unavailable(
    'The disk of this server does not respond, so this may be saved or lost. Read it once the disk responds, before you send it again.',
  )

/** The refusal of a read that may have seen what is not on the disk. */
export const notReadable = () =>
  unavailable('The disk of this server does not respond, so this cannot be read now. Try again later.')

/** The refusal of every other write meanwhile. */
export const noResponse = () =>
  unavailable('The disk of this server does not respond; nothing was written. Try again later.')

/** For how long the disk may take over a commit: it may be busy with much else. */
const SYNC_WITHIN_MS = 10_000
/** What has ended while this thread did other things is seen to have ended within this time. */
const SEEN_WITHIN_MS = 10

/** Notices when bringing something to the disk takes too long: the disk may never respond. */
export class SyncWatch {
  readonly #limitMs: number
  readonly #log: Log
  readonly #onLate: () => void
  readonly #late = new Set<object>()

  /** `onLate` is called for each sync that is late. */
  constructor(
    { log, syncWithinMs = SYNC_WITHIN_MS }: { readonly log: Log; readonly syncWithinMs?: number | undefined },
    onLate: () => void,
  ) {
    this.#limitMs = syncWithinMs
    this.#log = log
    this.#onLate = onLate
  }

  /** Whether a sync that is under way is late. */
  get isLate(): boolean {
    return this.#late.size > 0
  }

  /** To be called when a sync begins; `onLate` is for this one. Returns what must be called once it has ended. */
  begin(onLate: () => void): () => void {
    const sync = {}
    const noteLate = () => {
      this.#late.add(sync)
      this.#log.error('the disk does not respond: writes are refused until it does')
      onLate()
      this.#onLate()
    }
    let timer = setTimeout(() => {
      timer = setTimeout(noteLate, SEEN_WITHIN_MS)
    }, this.#limitMs)
    return () => {
      clearTimeout(timer)
      if (this.#late.delete(sync)) this.#log.info('the disk responds again')
    }
  }
}
