/** A workspace has at most this many attempts in flight while others are ready: half of all (`dispatcher.ts`). */
const MAX_IN_FLIGHT_WHILE_OTHERS_WAIT = 32

interface WorkspaceSchedule {
  /** Subscriptions that may have a due delivery. Each one that starts an attempt moves to the end. */
  readonly ready: Set<number>
  inFlight: number
}

/**
 * Schedules the next attempt fairly: across workspaces first, then across the subscriptions of each. Even if many
 * receivers of one workspace hang, the next free attempts go to other workspaces.
 */
export class DeliverySchedule {
  readonly #workspaces = new Map<number, WorkspaceSchedule>()
  /** Workspaces with a ready subscription; a workspace moves to the end after its turn. */
  readonly #queue = new Set<number>()

  add(workspace: number, webhook: number): void {
    this.#of(workspace).ready.add(webhook)
    this.#queue.add(workspace)
  }

  /** Removes and returns the next scheduled subscription; undefined when none is ready. */
  next(): number | undefined {
    const workspace = this.#nextWorkspace()
    if (workspace === undefined) return undefined
    const { ready } = this.#of(workspace)
    const [webhook] = ready
    if (webhook !== undefined) ready.delete(webhook)
    this.#queue.delete(workspace)
    if (ready.size > 0) this.#queue.add(workspace)
    this.#forgetIdle(workspace)
    return webhook
  }

  begin(workspace: number): void {
    this.#of(workspace).inFlight += 1
  }

  end(workspace: number): void {
    this.#of(workspace).inFlight -= 1
    this.#forgetIdle(workspace)
  }

  #nextWorkspace(): number | undefined {
    const [first] = this.#queue
    if (this.#queue.size <= 1) return first
    for (const workspace of this.#queue)
      if (this.#of(workspace).inFlight < MAX_IN_FLIGHT_WHILE_OTHERS_WAIT) return workspace
    return first
  }

  #of(workspace: number): WorkspaceSchedule {
    const known = this.#workspaces.get(workspace)
    if (known) return known
    const schedule = { ready: new Set<number>(), inFlight: 0 }
    this.#workspaces.set(workspace, schedule)
    return schedule
  }

  #forgetIdle(workspace: number): void {
    const { ready, inFlight } = this.#of(workspace)
    if (ready.size === 0 && inFlight === 0) this.#workspaces.delete(workspace)
  }
}
