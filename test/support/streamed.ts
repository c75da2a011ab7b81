import { Database } from 'bun:sqlite'
import { copyFileSync, rmSync } from 'node:fs'
import { type S3Settings, targetSettings } from '../../src/backup-config.ts'
import { readConfig } from '../../src/config.ts'
import type { AppContext } from '../../src/context.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { openTarget } from '../../src/operation/backups/open-target.ts'
import { LogStreams } from '../../src/operation/backups/stream/log-streams.ts'
import type { FromStream, StreamOrder, ToStream } from '../../src/operation/backups/stream/messages.ts'
import { replay } from '../../src/operation/backups/stream/replay.ts'
import type { Segments, StreamBase } from '../../src/operation/backups/stream/segments.ts'
import { TargetStream } from '../../src/operation/backups/stream/target-stream.ts'
import { Uploader } from '../../src/operation/backups/stream/uploader.ts'
import { type Db, openDatabase } from '../../src/storage/database.ts'
import { newFolder } from './process.ts'
import type { S3Server } from './s3-server.ts'

const STORED_WITHIN_MS = 600_000
const START = Date.parse('2026-11-21T09:30:00.000Z')

/** Runs faster than the system's clock. */
export function fastClock(factor: number): Clock {
  const begun = performance.now()
  const elapsed = () => (performance.now() - begun) * factor
  return {
    now: () => START + Math.floor(elapsed()),
    monotonicMs: elapsed,
    after: (delayMs, action) => {
      const timer = setTimeout(action, delayMs / factor)
      return () => clearTimeout(timer)
    },
    every: (intervalMs, action) => {
      const timer = setInterval(action, intervalMs / factor)
      return () => clearInterval(timer)
    },
  }
}

/** A copy that was made beside the writes, and its place in the stream. */
export interface Copy {
  readonly file: string
  readonly base: StreamBase
}

/** One committed row, and when it was acknowledged. */
export interface Row {
  readonly text: string
  readonly at: number
  /** The place that the commit filled with its text, if any. */
  readonly slot: number | undefined
}

/** The database of a server whose log is uploaded to a store, by the uploader in this process. */
export class Streamed {
  readonly folder = newFolder()
  readonly ledger: Row[] = []
  readonly stream: TargetStream
  /** The number of streams that began, each of which needs a full backup. */
  begun = 0
  /** Called for each message of the uploader, before the server receives it. */
  onMessage: ((message: FromStream) => void) | undefined
  readonly #warnings: string[] = []
  #db: Db
  #streams: LogStreams
  #segments: Segments
  #copies = 0
  #rows = 0

  /** With small pages the log has many of them after few bytes. */
  constructor(
    readonly store: S3Server,
    readonly clock: Clock,
    pageSize = 4_096,
  ) {
    this.#createFile(pageSize)
    const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 's', DAYBOOK_BACKUP_ENDPOINT: store.url }
    const log = createLog('warn', clock, (line) => this.#warnings.push(line))
    this.#db = openDatabase({ file: this.file, programVersion: '', clock, log, role: 'server' })
    const config = readConfig({}, { db: this.file })
    const ctx = { config, db: this.#db, clock, log } as AppContext
    const target = targetSettings('s3://backups/daybook', {}, env) as S3Settings
    const { segments } = openTarget(target, { db: this.file, clock })
    if (!segments) throw new Error('a bucket has segments')
    this.#segments = segments
    this.stream = new TargetStream({
      ctx,
      order: { db: this.file, target, recipients: [] },
      startProcess: (_config, order, report) => this.#startUploader(order, report),
      onNeedsBackup: () => {
        this.begun += 1
      },
    })
    this.#streams = new LogStreams(ctx, [this.stream])
  }

  get file(): string {
    return this.folder.file('daybook.db')
  }

  async start(): Promise<void> {
    this.stream.start()
    this.#streams.start()
    await this.#db.write(({ sql }): void =>
      sql.script(
        'CREATE TABLE ledger(pk INTEGER PRIMARY KEY, text); CREATE TABLE filled(slot INTEGER PRIMARY KEY, content)',
      ),
    )
    while (this.begun === 0) await Bun.sleep(1)
  }

  /** Commits one row, and fills so many bytes of a slot with its text. */
  async commit(bytes = 0, slot = 0): Promise<void> {
    const text = `row ${this.#rows++} `
    await this.#db.write(({ sql }): void => {
      sql.run('INSERT INTO ledger(text) VALUES (?)', text)
      if (bytes > 0) sql.run('REPLACE INTO filled VALUES (?, ?)', slot, Buffer.alloc(bytes, text))
    })
    this.ledger.push({ text, at: this.clock.now(), slot: bytes > 0 ? slot : undefined })
  }

  /** Removes all rows, so that the database stays small. */
  async clear(): Promise<void> {
    await this.#db.write(({ sql }): void => sql.script('DELETE FROM ledger; DELETE FROM filled'))
    this.ledger.length = 0
  }

  /** Replaces the copy before. */
  async copy(): Promise<Copy> {
    for (const suffix of ['', '.restored'])
      rmSync(this.folder.file(`copy-${this.#copies}.db${suffix}`), { force: true })
    const file = this.folder.file(`copy-${++this.#copies}.db`)
    const base = await this.stream.copy(file)
    this.stream.noteBackup()
    return { file, base }
  }

  /** Throws if the stream has ended, because what follows is never stored without another copy, or has stopped. */
  async untilStored(): Promise<void> {
    this.#streams.flush()
    const flushedAt = this.clock.now()
    // A commit of this millisecond has no lag yet.
    while (this.stream.lagMs > 0 || this.clock.now() === flushedAt) {
      if (this.stream.needsBackup) throw new Error(`the stream ended: ${this.#warnings.at(-1)}`)
      if (this.clock.now() > flushedAt + STORED_WITHIN_MS) throw new Error('the stream has stopped')
      await Bun.sleep(1)
    }
  }

  /** The rows of a copy with the segments after it. */
  async restored({ file, base }: Copy, before?: number): Promise<string[]> {
    const restored = `${file}.restored`
    copyFileSync(file, restored)
    await replay({
      source: 'the store',
      segments: this.#segments,
      base,
      file: restored,
      identity: undefined,
      before,
    })
    const database = new Database(restored, { readonly: true })
    const rows = database.query('SELECT text FROM ledger ORDER BY pk').values().flat().map(String)
    const { integrity_check } = database.query('PRAGMA integrity_check').get() as { integrity_check: string }
    const filled = database.query('SELECT slot, content FROM filled').values() as [number, Uint8Array][]
    database.close()
    if (integrity_check !== 'ok') return [integrity_check]
    const wrong = filled.find(([slot, content]) => !this.#isFilled(rows.length, slot, content))
    return wrong ? [`slot ${wrong[0]} is not filled by its last commit`] : rows
  }

  /** Whether a slot holds the text of the last of the first rows that filled it. */
  #isFilled(rows: number, slot: number, content: Uint8Array): boolean {
    const row = this.ledger.slice(0, rows).findLast((one) => one.slot === slot)
    return row !== undefined && Buffer.alloc(content.length, row.text).equals(content)
  }

  #createFile(pageSize: number): void {
    const database = new Database(this.file)
    database.run(`PRAGMA page_size = ${pageSize}`)
    database.run('VACUUM')
    database.close()
  }

  /** A number that changes whenever the log restarts. */
  async logSalt(): Promise<number> {
    const header = await Bun.file(`${this.file}-wal`).slice(0, 32).bytes()
    return header.length < 32 ? 0 : Buffer.from(header).readUInt32BE(16)
  }

  logBytes = async (): Promise<number> => (await Bun.file(`${this.file}-wal`).stat()).size

  async end(): Promise<void> {
    await this.stream.stop()
    this.#streams.stop()
    await this.#db.finishCheckpoint()
    this.#db.close()
    this.folder.remove()
  }

  #startUploader(order: StreamOrder, report: (message: FromStream) => void) {
    const ended = Promise.withResolvers<undefined>()
    const uploader = new Uploader({
      ...order,
      segments: this.#segments,
      clock: this.clock,
      report: (message) =>
        queueMicrotask(() => {
          this.onMessage?.(message)
          report(message)
        }),
    })
    void uploader.run().then(() => ended.resolve(undefined))
    return {
      failure: ended.promise,
      kill: () => ended.resolve(undefined),
      send: (message: ToStream) => queueMicrotask(() => uploader.handle(message)),
    }
  }
}
