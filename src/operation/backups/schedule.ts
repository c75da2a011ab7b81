import type { BackupSettings, BackupTargetSettings } from '../../backup-config.ts'
import type { AppContext } from '../../context.ts'
import { DAY_MS } from '../../lib/dates.ts'
import { type CopyReply, type MessagedProcess, startBackups, startStream } from './process.ts'
import type { BackupMessage } from './run.ts'
import { LogStreams } from './stream/log-streams.ts'
import { TargetStream } from './stream/target-stream.ts'
import { dueIn, RETRY_MS } from './target.ts'

/** How the backups of one target are doing. Instants are in milliseconds; undefined means never. */
export interface BackupTargetState {
  readonly name: string
  readonly lastBackupAt: number | undefined
  /** Of the last drill that passed. */
  readonly lastDrillAt: number | undefined
  /** The age of the oldest commit that is not stored yet; undefined where the log is not uploaded. */
  readonly lagMs?: number | undefined
}

/** Automatic backups, each made by a separate process, so that no store ever holds up a request. */
export interface Backups {
  /**
   * `failed` from a failed backup or drill until the next successful one of that target; else `stale` while a target
   * has had no successful backup for three intervals, or lacks a commit that is over a minute old and should be there.
   */
  readonly problem: 'failed' | 'stale' | undefined
  readonly targets: readonly BackupTargetState[]
  /** Whether there are drills. */
  readonly hasDrills: boolean
  start(): void
  /** Ends running processes, and resolves when they have closed the database; the next start removes what they left. */
  stop(): Promise<void>
}

export const NO_BACKUPS: Backups = {
  problem: undefined,
  targets: [],
  hasDrills: false,
  start: () => {},
  stop: async () => {},
}

/** Timers cannot wait for months; a backup that was removed by hand is replaced within this time. */
const LONGEST_WAIT_MS = DAY_MS
const SHORTEST_WAIT_MS = 1_000
const STALE_INTERVALS = 3
const STALE_LAG_MS = 60_000
/** The wait after a failed backup without which the log cannot be uploaded. */
const STREAM_RETRY_MS = 60_000

/** The processes of backups. */
const PROCESSES = { startBackups, startStream }
type Processes = typeof PROCESSES

export function createBackups(ctx: AppContext, processes: Processes = PROCESSES): Backups {
  const { backup } = ctx.config
  if (!backup) return NO_BACKUPS
  const schedules = backup.targets.map((target) => new TargetSchedule(ctx, backup, target, processes))
  const streams = new LogStreams(
    ctx,
    schedules.flatMap(({ stream }) => stream ?? []),
  )
  return {
    get problem() {
      const problems = schedules.map(({ problem }) => problem)
      return problems.find((problem) => problem === 'failed') ?? problems.find((problem) => problem)
    },
    targets: schedules,
    hasDrills: backup.drillEveryMs !== undefined,
    start: () => {
      for (const schedule of schedules) schedule.start()
      streams.start()
    },
    stop: async () => {
      streams.flush()
      await Promise.all(schedules.map((schedule) => schedule.stop()))
      streams.stop()
    },
  }
}

/** The backups of one target. Targets share nothing, so that one that hangs holds up no other. */
class TargetSchedule implements BackupTargetState {
  readonly name: string
  lastBackupAt: number | undefined
  lastDrillAt: number | undefined
  readonly stream: TargetStream | undefined
  #hasFailed = false
  #hasDrillFailed = false
  #startedAt: number
  #running: MessagedProcess<CopyReply> | undefined
  #cancel: (() => void) | undefined
  #isStopped = false

  constructor(
    private readonly ctx: AppContext,
    private readonly settings: BackupSettings,
    private readonly target: BackupTargetSettings,
    private readonly processes: Processes,
  ) {
    this.name = target.name
    this.#startedAt = ctx.clock.now()
    if (settings.isStreamed && target.kind === 's3')
      this.stream = new TargetStream({
        ctx,
        order: { db: ctx.config.db, target, recipients: settings.recipients },
        startProcess: processes.startStream,
        onNeedsBackup: () => this.#runNow(),
      })
  }

  get problem(): Backups['problem'] {
    if (this.#hasFailed || this.#hasDrillFailed) return 'failed'
    const quietMs = this.ctx.clock.now() - (this.lastBackupAt ?? this.#startedAt)
    const isStale = quietMs > STALE_INTERVALS * this.settings.everyMs || (this.lagMs ?? 0) > STALE_LAG_MS
    return isStale ? 'stale' : undefined
  }

  get lagMs(): number | undefined {
    return this.stream?.lagMs
  }

  /** A stream begins with the backup that it needs. */
  start(): void {
    this.#startedAt = this.ctx.clock.now()
    if (this.stream) this.stream.start()
    else void this.#run()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel?.()
    this.#running?.kill()
    await Promise.all([this.#running?.failure, this.stream?.stop()])
  }

  #runNow(): void {
    if (this.#running || this.#isStopped) return
    this.#cancel?.()
    void this.#run()
  }

  async #run(): Promise<void> {
    const { config, clock } = this.ctx
    const { keep, recipients, drillEveryMs, identity } = this.settings
    const everyMs = this.stream?.needsBackup ? 0 : this.settings.everyMs
    const isStreamed = this.stream !== undefined
    const order = {
      db: config.db,
      target: this.target,
      everyMs,
      keep,
      recipients,
      drillEveryMs,
      identity,
      isStreamed,
    }
    this.#running = this.processes.startBackups(config, order, (message) => this.#note(message))
    const failure = await this.#running.failure
    this.#running = undefined
    if (this.#isStopped) return
    if (failure !== undefined) this.#failed(failure)
    this.#cancel = clock.after(this.#nextIn(), () => void this.#run())
  }

  #nextIn(): number {
    const { everyMs, drillEveryMs } = this.settings
    const now = this.ctx.clock.now()
    const waits = [
      LONGEST_WAIT_MS,
      this.#hasFailed ? Math.min(everyMs, RETRY_MS) : dueIn(this.lastBackupAt, everyMs, now),
    ]
    if (this.stream?.needsBackup) waits.push(this.#hasFailed ? STREAM_RETRY_MS : 0)
    if (drillEveryMs !== undefined && this.lastBackupAt !== undefined)
      waits.push(
        this.#hasDrillFailed ? Math.min(drillEveryMs, RETRY_MS) : dueIn(this.lastDrillAt, drillEveryMs, now),
      )
    return Math.max(SHORTEST_WAIT_MS, Math.min(...waits))
  }

  #note(message: BackupMessage): void {
    const { log } = this.ctx
    const target = this.name
    if ('newestAt' in message) {
      this.lastBackupAt = message.newestAt ?? undefined
      // A store that could not be reached while no backup was due has missed none.
      if (dueIn(this.lastBackupAt, this.settings.everyMs, this.ctx.clock.now()) > 0) this.#hasFailed = false
    } else if ('copyTo' in message) void this.#copy(message.copyTo)
    else if ('made' in message) {
      this.lastBackupAt = message.at
      this.stream?.noteBackup()
      this.#hasFailed = false
      log.info('backup made', { target, name: message.made })
    } else if ('failed' in message) this.#failed(message.failed)
    else if ('drilledAt' in message) this.lastDrillAt = message.drilledAt ?? undefined
    else if ('drilled' in message) {
      this.lastDrillAt = message.at
      this.#hasDrillFailed = false
      log.info('backup drill passed', { target, name: message.drilled, extent: message.extent })
    } else if ('drillFailed' in message) {
      this.#hasDrillFailed = true
      log.error('backup drill failed', { target, error: message.drillFailed })
    } else log.warn('backup warning', { target, error: message.warning })
  }

  async #copy(file: string): Promise<void> {
    const running = this.#running
    try {
      const base = await this.stream?.copy(file)
      if (base) running?.send({ base })
    } catch (error) {
      running?.send({ failure: (error as Error).message })
    }
  }

  #failed(reason: string): void {
    this.#hasFailed = true
    this.ctx.log.error('backup failed', { target: this.name, error: reason })
  }
}
