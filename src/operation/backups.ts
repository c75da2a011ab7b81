import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { AppContext } from '../context.ts'
import { isoTimestamp } from '../lib/dates.ts'
import { ownCommand } from '../lib/program.ts'

/** Automatic backups, each made by the command `backup` in a separate process. */
export interface Backups {
  /** True from a failed backup until the next successful one. */
  readonly isFailing: boolean
  /** The creation time of the newest backup in the folder; undefined without one. */
  readonly newestAt: number | undefined
  start(): void
  /**
   * Ends a running backup, and resolves when it has closed the database; the next start removes its incomplete copy.
   */
  stop(): Promise<void>
}

export const NO_BACKUPS: Backups = {
  isFailing: false,
  newestAt: undefined,
  start: () => {},
  stop: async () => {},
}

/** Copies the database to the file; resolves with the reason when it fails. */
interface BackupProcess {
  readonly failure: Promise<string | undefined>
  kill(): void
}

/** The maximum time until the next check: timers cannot wait for months, and a failed backup is retried. */
const CHECK_EVERY_MS = 3_600_000

/** The name of a backup contains its instant: `daybook-2026-11-22T093000Z.db`. */
const nameAt = (base: string, instant: number): string =>
  `${base}-${isoTimestamp(instant).slice(0, 19).replaceAll(':', '')}Z.db`

const NAME = /-(\d{4}-\d{2}-\d{2})T(\d{2})(\d{2})(\d{2})Z\.db(\.partial-\d+)?$/

interface Found {
  readonly name: string
  readonly at: number
  readonly isPartial: boolean
}

/** The backups of this database in the folder, oldest first. Ignores other files. */
function listBackups(folder: string, base: string): Found[] {
  return readdirSync(folder)
    .flatMap((name): Found[] => {
      const match = NAME.exec(name)
      if (!match || name.slice(0, match.index) !== base) return []
      const [, day, hours, minutes, seconds, partial] = match
      const at = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`)
      return [{ name, at, isPartial: partial !== undefined }]
    })
    .sort((left, right) => left.at - right.at)
}

/**
 * The time until the next backup is due. A backup dated in the future, after the clock was set back, counts as made
 * now.
 */
export const backupDueIn = (newest: number | undefined, everyMs: number, now: number): number =>
  newest === undefined ? 0 : Math.max(0, Math.min(newest, now) + everyMs - now)

export function createBackups(ctx: AppContext, startProcess = startBackupProcess): Backups {
  const { backup } = ctx.config
  return backup ? new ScheduledBackups(ctx, backup, startProcess) : NO_BACKUPS
}

class ScheduledBackups implements Backups {
  isFailing = false
  newestAt: number | undefined
  readonly #base: string
  #running: BackupProcess | undefined
  #cancel: (() => void) | undefined
  #isStopped = false

  constructor(
    private readonly ctx: AppContext,
    private readonly settings: NonNullable<AppContext['config']['backup']>,
    private readonly startProcess: typeof startBackupProcess,
  ) {
    this.#base = basename(ctx.config.db).replace(/\.db$/, '')
  }

  start(): void {
    try {
      mkdirSync(this.settings.folder, { recursive: true })
      for (const { name, isPartial } of this.#list()) if (isPartial) this.#remove(name)
    } catch (error) {
      this.#failed(String(error))
    }
    this.#look()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel?.()
    this.#running?.kill()
    await this.#running?.failure
  }

  #list = () => listBackups(this.settings.folder, this.#base)

  #remove = (name: string) => rmSync(join(this.settings.folder, name), { force: true })

  /** Makes a backup if one is due, and schedules the next check. */
  #look(): void {
    const { clock } = this.ctx
    const { everyMs } = this.settings
    let wait = Math.min(everyMs, CHECK_EVERY_MS)
    try {
      const newest = this.#list().findLast(({ isPartial }) => !isPartial)
      this.newestAt = newest?.at
      wait = backupDueIn(newest?.at, everyMs, clock.now())
    } catch (error) {
      this.#failed(String(error))
    }
    if (wait === 0) void this.#backUp()
    else this.#cancel = clock.after(Math.min(wait, CHECK_EVERY_MS), () => this.#look())
  }

  async #backUp(): Promise<void> {
    const { clock, config, log } = this.ctx
    const { folder, everyMs } = this.settings
    const startedAt = clock.now()
    const file = join(folder, nameAt(this.#base, startedAt))
    this.#running = this.startProcess(config.db, file, config.checkpoint)
    const failure = await this.#running.failure
    this.#running = undefined
    if (this.#isStopped) return
    if (failure === undefined) {
      this.isFailing = false
      this.newestAt = startedAt
      log.info('backup made', { file })
      this.#removeOldest()
    } else this.#failed(failure)
    const wait = failure === undefined ? everyMs : Math.min(everyMs, CHECK_EVERY_MS)
    this.#cancel = clock.after(Math.min(wait, CHECK_EVERY_MS), () => this.#look())
  }

  #removeOldest(): void {
    try {
      const whole = this.#list().filter(({ isPartial }) => !isPartial)
      for (const { name } of whole.slice(0, -this.settings.keep)) this.#remove(name)
    } catch (error) {
      this.ctx.log.warn('old backups could not be removed', { error: String(error) })
    }
  }

  #failed(reason: string): void {
    this.isFailing = true
    this.ctx.log.error('backup failed', { folder: this.settings.folder, error: reason })
  }
}

/** Runs the command `backup` in a separate process with a lower priority than the server. */
export function startBackupProcess(db: string, file: string, checkpoint: string): BackupProcess {
  const child = Bun.spawn([...ownCommand(), 'backup', file, '--db', db], {
    env: { DAYBOOK_CHECKPOINT: checkpoint },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const failure = async () => {
    const [said, exitCode] = await Promise.all([child.stderr.text(), child.exited])
    return exitCode === 0 ? undefined : said.trim() || `the process ended with ${exitCode}`
  }
  return { failure: failure(), kill: () => child.kill('SIGKILL') }
}
