/** A workspace has at most this many attempts in flight while others are ready: half of all (`dispatcher.ts`). */
const MAX_IN_FLIGHT_WHILE_OTHERS_WAIT = 32

interface WorkspaceTurn {
  /** Subscriptions that may have a delivery due. Each that starts an attempt moves to the end. */
  readonly ready: Set<number>
  inFlight: number
}

/**
 * Decides which subscription starts the next attempt: workspaces take turns, and within each its subscriptions. However many
 * receivers of one workspace hang, the next free attempts go to others.
 */
export class Turns {
  readonly #workspaces = new Map<number, WorkspaceTurn>()
  /** Workspaces with a ready subscription; one that had its turn moves to the end. */
  readonly #waiting = new Set<number>()

  add(workspace: number, webhook: number): void {
    this.#of(workspace).ready.add(webhook)
    this.#waiting.add(workspace)
  }

  /** Takes out the subscription whose turn it is; undefined when none is ready. */
  next(): number | undefined {
    const workspace = this.#nextWorkspace()
    if (workspace === undefined) return undefined
    const { ready } = this.#of(workspace)
    const [webhook] = ready
    if (webhook !== undefined) ready.delete(webhook)
    this.#waiting.delete(workspace)
    if (ready.size > 0) this.#waiting.add(workspace)
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
    const [first] = this.#waiting
    if (this.#waiting.size <= 1) return first
    for (const workspace of this.#waiting)
      if (this.#of(workspace).inFlight < MAX_IN_FLIGHT_WHILE_OTHERS_WAIT) return workspace
    return first
  }

  #of(workspace: number): WorkspaceTurn {
    const known = this.#workspaces.get(workspace)
    if (known) return known
    const turn = { ready: new Set<number>(), inFlight: 0 }
    this.#workspaces.set(workspace, turn)
    return turn
  }

  #forgetIdle(workspace: number): void {
    const { ready, inFlight } = this.#of(workspace)
    if (ready.size === 0 && inFlight === 0) this.#workspaces.delete(workspace)
  }
}
