import type { Caller } from '../../../context.ts'
import { sleep, systemClock } from '../../../lib/clock.ts'
import { HOUR_MS } from '../../../lib/dates.ts'
import { escapeLineBoundaries } from '../../../lib/json.ts'
import type { Db } from '../../../storage/database.ts'
import { type Command, DB_FLAG, flag, WORKSPACE_FLAG } from '../../command.ts'
import type { Io } from '../../io.ts'
import { type CallOperation, inWorkspace } from '../../open-database.ts'

const pulling = () => import('../../../events/webhooks/pull.ts')

const PAGE = 200

interface Printing {
  readonly id: string
  readonly isAcknowledging: boolean
  readonly isFollowing: boolean
}

interface Subscriber {
  readonly db: Db
  readonly caller: Caller
  readonly call: CallOperation
}

/** Prints the pending events. An event is acknowledged after standard output has accepted its line. */
async function printEvents(
  { db, caller, call }: Subscriber,
  io: Io,
  { id, ...options }: Printing,
): Promise<number> {
  const { acknowledge, pulledPage } = await pulling()
  const follower = options.isFollowing ? new Follower(db, io) : undefined
  let after: string | undefined
  for (;;) {
    const { events, last: cursor, hasMore } = pulledPage(db, caller, { id, after, limit: PAGE })
    if (cursor !== undefined) {
      const lines = events.map((event) => `${escapeLineBoundaries(event)}\n`).join('')
      if (!(await io.write(Buffer.from(lines)))) return 0
      if (options.isAcknowledging) await call(acknowledge, { id, body: { cursor } })
      after = cursor
    }
    if (follower?.isStopping) return 0
    if (hasMore) continue
    if (!follower) return 0
    await follower.untilCommit()
  }
}

/** Waits for commits of other processes. */
class Follower {
  #hasCommit = false
  #isStopping = false
  #end = () => {}

  constructor(db: Db, io: Io) {
    db.onExternalWrite(() => {
      this.#hasCommit = true
      this.#end()
    })
    void io.untilSignal().then(() => {
      this.#isStopping = true
      this.#end()
    })
  }

  /** Whether the command was asked to stop. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Resolves after a commit since the last call, or when the command is asked to stop. */
  async untilCommit(): Promise<void> {
    while (!this.#hasCommit && !this.#isStopping) {
      const waiting = new AbortController()
      this.#end = () => waiting.abort()
      // The timer keeps the process alive.
      await sleep(systemClock, HOUR_MS, waiting.signal)
    }
    this.#hasCommit = false
  }
}

export const webhooksEvents: Command = {
  name: 'webhooks events',
  summary: 'Print the pending events of a webhook that is pulled, as JSON lines.',
  parameters: ['<id>'],
  flags: [
    flag('--ack', 'acknowledge the events that were written to standard output'),
    flag('--follow', 'then print new events as they are committed, until the command is stopped'),
    WORKSPACE_FLAG,
    DB_FLAG,
  ],
  remarks: [
    'Each line is {"cursor": …, "payload": …}, in commit order. Works while a server runs or restarts. Without --ack the',
    'same events are printed next time; with it, a crash repeats at most the last 200.',
  ],
  examples: [
    'daybook webhooks events 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60',
    'daybook webhooks events 01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60 --ack --follow | while read -r event; do …; done',
  ],
  run: (input, io) => {
    const [id = ''] = input.args
    const { ack, follow } = input.flags
    const printing = { id, isAcknowledging: ack === true, isFollowing: follow === true }
    return inWorkspace(input, io, (db, caller, call) => printEvents({ db, caller, call }, io, printing))
  },
}
