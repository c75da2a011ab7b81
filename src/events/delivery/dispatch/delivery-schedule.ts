/** At most this many attempts are in flight. A large body counts as several (`slotsOf`). */
const MAX_IN_FLIGHT = 64

/** The last free slots are for receivers that are likely to respond, and for workspaces without an attempt in flight. */
const RESERVED = 8

/**
 * The same within a workspace, which has 32 slots at most. More than 25, so that the receivers of all its webhooks can
 * be tried at once.
 */
const MAX_IN_FLIGHT_UNLESS_LIKELY = 28

/** The bytes of a body for each slot: the bodies in flight are in memory. */
const BYTES_PER_SLOT = 1_048_576

/** The number of slots that an attempt takes. */
export const slotsOf = (bodyBytes: number): number => Math.max(1, Math.floor(bodyBytes / BYTES_PER_SLOT))

/** A subscription, or a target of a source. */
export interface Scheduled {
  readonly workspace: number
  readonly webhook: number
  /** Its attempts in flight. */
  readonly inFlight: number
  /** Whether it accepted its last delivery. */
  readonly isProven: boolean
}

interface WorkspaceSchedule {
  /** Subscriptions that may have a due delivery. Each one that starts an attempt moves to the end. */
  readonly ready: Map<number, Scheduled>
  inFlight: number
}

/**
 * Schedules the next attempt fairly: across workspaces first, then across the subscriptions of each. An attempt may hang
 * for 10 seconds, and nothing ends it earlier. Hence a workspace leaves at least as many slots free as it takes.
 */
export class DeliverySchedule {
  readonly #workspaces = new Map<number, WorkspaceSchedule>()
  /** Workspaces with a ready subscription; a workspace moves to the end after its turn. */
  readonly #queue = new Set<number>()
  #inFlight = 0

  add(scheduled: Scheduled): void {
    this.#of(scheduled.workspace).ready.set(scheduled.webhook, scheduled)
    this.#queue.add(scheduled.workspace)
  }

  /** Removes and returns the next subscription that may begin an attempt; undefined when none may. */
  next(): number | undefined {
    const free = MAX_IN_FLIGHT - this.#inFlight
    if (free <= 0) return undefined
    for (const workspace of this.#queue) {
      const schedule = this.#of(workspace)
      const webhook = nextOf(schedule, free)
      if (webhook === undefined) continue
      const { ready } = schedule
      ready.delete(webhook)
      this.#queue.delete(workspace)
      if (ready.size > 0) this.#queue.add(workspace)
      this.#forgetIdle(workspace)
      return webhook
    }
    return undefined
  }

  begin(workspace: number, slots: number): void {
    this.#of(workspace).inFlight += slots
    this.#inFlight += slots
  }

  end(workspace: number, slots: number): void {
    this.#of(workspace).inFlight -= slots
    this.#inFlight -= slots
    this.#forgetIdle(workspace)
  }

  #of(workspace: number): WorkspaceSchedule {
    const known = this.#workspaces.get(workspace)
    if (known) return known
    const schedule = { ready: new Map<number, Scheduled>(), inFlight: 0 }
    this.#workspaces.set(workspace, schedule)
    return schedule
  }

  #forgetIdle(workspace: number): void {
    const { ready, inFlight } = this.#of(workspace)
    if (ready.size === 0 && inFlight === 0) this.#workspaces.delete(workspace)
  }
}

/** A receiver that accepted its last delivery and has no other in flight. */
const isLikely = ({ isProven, inFlight }: Scheduled): boolean => isProven && inFlight === 0

/** The first subscription of a workspace that may begin an attempt. */
function nextOf({ ready, inFlight }: WorkspaceSchedule, free: number): number | undefined {
  if (inFlight > 0 && inFlight >= free) return undefined
  const mayBeUnlikely = inFlight === 0 || (free > RESERVED && inFlight < MAX_IN_FLIGHT_UNLESS_LIKELY)
  for (const scheduled of ready.values()) if (mayBeUnlikely || isLikely(scheduled)) return scheduled.webhook
  return undefined
}
