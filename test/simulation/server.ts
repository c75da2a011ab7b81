import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../scripts/lib/random.ts'
import { type Api, createApi } from '../../src/api.ts'
import { readConfig } from '../../src/config.ts'
import type { AppContext } from '../../src/context.ts'
import type { Send } from '../../src/events/delivery/client/sender.ts'
import { Dispatcher } from '../../src/events/delivery/dispatch/dispatcher.ts'
import { jobs } from '../../src/jobs.ts'
import { openKernel } from '../../src/kernel/call.ts'
import { JobRunner } from '../../src/kernel/job-runner.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { VERSION } from '../../src/lib/version.ts'
import { beginEpochs } from '../../src/log/cursors.ts'
import { busOf } from '../../src/log/log.ts'
import { retentionJobs } from '../../src/operation/schedule.ts'
import { bootstrap } from '../../src/people/administration.ts'
import { credentials } from '../../src/people/sessions/sessions.ts'
import { openDatabase } from '../../src/storage/database.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { newDatabase } from '../support/service.ts'
import { SimulatedDisk } from './disk.ts'
import type { Platform, SimulatedProcess } from './platform.ts'
import { startThreadIn } from './threads.ts'

/* A server as `startServer` composes it, without sockets: requests arrive by `fetch`, deliveries leave by `send`. */

export interface ServerOptions {
  readonly name: string
  readonly platform: Platform
  readonly random: Random
  /** An empty folder in memory, for the files of all servers of a run. */
  readonly folder: string
  readonly send: (process: SimulatedProcess, request: Parameters<Send>[0]) => ReturnType<Send>
  readonly log: (lines: string) => void
  /** The settings of a writable copy of another server, which sends no deliveries of its own. */
  readonly copy?: Pick<AppContext, 'mirrorOf' | 'isMirrorWritable'>
}

/** How a server ended, which decides what its files hold afterwards. */
export type ServerEnd = 'stopped' | 'killed' | 'power lost'

/** The files that the next server starts on, and what the disk lost. */
interface FilesLeft {
  readonly file: string
  readonly lost: string
}

/** Larger reads and writes than these run in threads. */
const SMALL = { manyRows: 40, maxWriteLength: 4_000 }

/** The most that SQLite allows. */
const MAX_PAGES = 4_294_967_294

let folders = 0

/** A file in a folder of its own. */
function newFile({ folder }: ServerOptions): string {
  folders += 1
  const path = join(folder, String(folders))
  mkdirSync(path)
  return join(path, 'daybook.db')
}

export class SimulatedServer {
  readonly process: SimulatedProcess
  readonly ctx: AppContext
  readonly app: Api
  readonly disk: SimulatedDisk
  /** The first key; undefined after the first start. */
  firstKey: string | undefined
  /** Why the server can only stop, once that is so. */
  lost: string | undefined
  readonly #hasLost = Promise.withResolvers<void>()
  #deliveries: Dispatcher | undefined
  #jobs: JobRunner | undefined
  #left: FilesLeft | undefined
  /** The connection that writes. */
  #writer: Sql | undefined

  private constructor(
    private readonly options: ServerOptions,
    file: string,
    process: SimulatedProcess,
  ) {
    const { platform, random } = options
    this.process = process
    this.disk = new SimulatedDisk(file, platform, process, random)
    const startThread = startThreadIn({ platform, process, random, disk: this.disk })
    const log = createLog('warn', systemClock, (lines) => process.isCut || options.log(lines))
    const db = openDatabase({
      file,
      programVersion: VERSION,
      clock: systemClock,
      log,
      role: 'server',
      disk: this.disk.calls,
      startThread,
    })
    const bus = busOf(db)
    const threads = { db, listeners: bus, log, clock: systemClock, credentials, startThread, ...SMALL }
    const config = { ...readConfig({}), db: file }
    this.ctx = {
      config,
      db,
      ...openKernel(threads),
      bus,
      clock: systemClock,
      log,
      credentials,
      ...options.copy,
    }
    this.app = createApi(this.ctx)
    db.onLost((sentence) => {
      this.lost = sentence
      this.app.stop()
      this.#hasLost.resolve()
    })
  }

  /** Starts on the files that the last server left, or on a new database. */
  static async start(options: ServerOptions, file = newFile(options)): Promise<SimulatedServer> {
    if (!existsSync(file)) writeFileSync(file, newDatabase())
    const process = { name: options.name, isCut: false, isDead: false }
    const server = options.platform.as(process, () => new SimulatedServer(options, file, process))
    await options.platform.as(process, () => server.#begin())
    return server
  }

  /** Resolves once the server can only stop. */
  get hasLost(): Promise<void> {
    return this.#hasLost.promise
  }

  async #begin(): Promise<void> {
    const { ctx, options, process } = this
    const { db } = ctx
    this.#writer = await db.write((tx): Sql => {
      beginEpochs(tx)
      return tx.sql
    })
    if (!options.copy) this.firstKey = await bootstrap(ctx)
    options.platform.as(process, () => {
      db.onExternalWrite(() => ctx.bus.notify())
      this.#deliveries = new Dispatcher({ ...ctx, send: (request) => options.send(process, request) })
      this.#jobs = new JobRunner(ctx, [...jobs, ...retentionJobs(ctx.config)])
    })
  }

  /** Fills the disk, so that the database cannot grow, or frees space again. */
  fillDisk(isFull: boolean): void {
    if (this.process.isCut) return
    const sql = this.#writer
    const pages = isFull ? sql?.scalar<number>('PRAGMA page_count') : MAX_PAGES
    sql?.all(`PRAGMA max_page_count = ${pages}`)
  }

  /** Ends the server. */
  async end(how: ServerEnd): Promise<FilesLeft> {
    if (how === 'stopped' && this.lost === undefined && !this.#left) {
      await this.#stop()
      return { file: this.disk.file, lost: '' }
    }
    const left = this.cutOff(how)
    await this.options.platform.drain(this.process)
    this.abandon()
    rmSync(join(this.disk.file, '..'), { recursive: true, force: true })
    return left
  }

  /** Copies the files at this moment. Nobody sees what the server does afterwards. */
  cutOff(how: ServerEnd): FilesLeft {
    if (this.#left) return this.#left
    const { disk, process } = this
    const file = newFile(this.options)
    let lost = ''
    if (how === 'power lost') lost = disk.copyAfterPowerLoss(file)
    else disk.copyAfterKill(file)
    process.isCut = true
    disk.mood = 'well'
    this.#left = { file, lost }
    return this.#left
  }

  /** Closes everything; whatever is unfinished stays so. */
  abandon(): void {
    const { ctx, disk, process } = this
    process.isDead = true
    this.options.platform.as(process, () => {
      void this.#deliveries?.stop()
      void this.#jobs?.stop()
      void ctx.kernel.close()
      disk.close()
      ctx.db.close()
    })
  }

  async #stop(): Promise<void> {
    const { ctx, app, disk } = this
    app.stop()
    await Promise.all([this.#deliveries?.stop(), this.#jobs?.stop()])
    await Promise.all([ctx.kernel.close(), ctx.db.finishCheckpoint()])
    disk.close()
    ctx.db.close()
    this.process.isCut = true
    await this.options.platform.drain(this.process)
  }
}
