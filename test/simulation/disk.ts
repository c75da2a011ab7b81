import { closeSync, copyFileSync, fstatSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import type { Random } from '../../scripts/lib/random.ts'
import type { DiskCalls } from '../../src/storage/connection/health.ts'
import type { Platform, SimulatedProcess } from './platform.ts'

/*
 * The disk under one server: which bytes of the database and its WAL survive a power loss. Pages of the database are
 * written by checkpoints only, and a checkpoint syncs the WAL before it and the database after it. The WAL grows with
 * every commit and is durable up to its last sync.
 */

/** The end of the WAL: its generation, which changes when the WAL restarts, and its length in bytes. */
interface WalPosition {
  readonly salt: string
  readonly bytes: number
}

/** A checkpoint whose end its server has not seen yet, as it began. */
interface RunningCheckpoint {
  readonly pagesBefore: Buffer
  readonly position: WalPosition
}

/** How the disk treats syncs. */
export type DiskMood = 'well' | 'failing' | 'late'

const PAGE_BYTES = 4_096
const FRAME_BYTES = PAGE_BYTES + 24
const WAL_HEADER_BYTES = 32
const SECTOR_BYTES = 512
/** The index of the WAL: the number of valid frames, and the salts of their generation. */
const FRAMES_AT = 16
const SALTS_AT = 32
const INDEX_BYTES = 48
/** How long a sync takes at most, and how long some take. */
const SYNC_MS = 8
const SLOW_SYNC_MS = 150
const SLOW_SYNCS = 0.15
/** Longer than the time within which a server expects its disk to respond. */
const LATE_MS = 12_000

const EIO = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', syscall: 'fdatasync' })

export class SimulatedDisk {
  mood: DiskMood = 'well'
  #durable: WalPosition = { salt: '', bytes: 0 }
  #checkpoint: RunningCheckpoint | undefined
  /** Where the pages begin that a failed sync has lost; later syncs do not write them. */
  #hole: WalPosition | undefined
  #index: number | undefined

  constructor(
    readonly file: string,
    private readonly platform: Platform,
    private readonly process: SimulatedProcess,
    private readonly random: Random,
  ) {}

  /** The calls by which the server syncs its commits. */
  readonly calls: DiskCalls = {
    fdatasync: ((_descriptor: number, respond: (error: Error | null) => void) => {
      const position = this.#position()
      const mostMs = this.random.chance(SLOW_SYNCS) ? SLOW_SYNC_MS : SYNC_MS
      const delayMs = this.mood === 'late' ? LATE_MS : this.random.next() * mostMs
      const fails = this.mood === 'failing'
      this.platform.schedule(this.process, delayMs, () => {
        if (fails) this.#lose(position)
        else this.#durable = this.#hole?.salt === position.salt ? this.#hole : position
        respond(fails ? EIO : null)
      })
    }) as DiskCalls['fdatasync'],
  }

  /** The system discards pages that it could not write, and reports that once. */
  #lose(position: WalPosition): void {
    const { salt, bytes } = this.#durable
    this.#hole ??= { salt: position.salt, bytes: salt === position.salt ? bytes : 0 }
  }

  /** Must be called before the database is closed, which removes the WAL. */
  close(): void {
    if (this.#index !== undefined) closeSync(this.#index)
    this.#index = undefined
  }

  /** A thread has committed with a sync of its own; returns a function to be called when its server learns that. */
  committedByThread(): () => void {
    const position = this.#position()
    return () => {
      const { salt, bytes } = this.#durable
      if (salt !== position.salt || bytes < position.bytes) this.#durable = position
    }
  }

  /** Runs a checkpoint; returns a function to be called when its server learns of the end. */
  checkpointing(run: () => void): () => void {
    const running = { pagesBefore: readFileSync(this.file), position: this.#position() }
    this.#checkpoint = running
    run()
    const end = this.#position()
    return () => {
      if (this.#checkpoint === running) this.#checkpoint = undefined
      if (end.salt !== running.position.salt || end.bytes > this.#durable.bytes) this.#durable = end
    }
  }

  /** The files as they are when the process is killed: the system writes everything later. */
  copyAfterKill(to: string): void {
    copyFileSync(this.file, to)
    copyFileSync(`${this.file}-wal`, `${to}-wal`)
  }

  /** The files as a disk may hold them after a power loss. Returns what was lost, for the trace. */
  copyAfterPowerLoss(to: string): string {
    const now = this.#position()
    const running = this.#checkpoint?.position.salt === now.salt ? this.#checkpoint : undefined
    const pages = readFileSync(this.file)
    const wal = readFileSync(`${this.file}-wal`)
    const isInCheckpoint = running !== undefined && this.random.chance(0.5)
    let durable = this.#durable.salt === now.salt ? this.#durable.bytes : 0
    if (running && !isInCheckpoint) writeFileSync(to, running.pagesBefore)
    else writeFileSync(to, running ? this.#mixed(running.pagesBefore, pages) : pages)
    if (isInCheckpoint) durable = Math.max(durable, running.position.bytes)
    const end = this.#hole?.salt === now.salt ? this.#hole.bytes : now.bytes
    writeFileSync(`${to}-wal`, this.#cut(wal, Math.min(durable, end), end))
    return `${durable} of ${now.bytes} bytes of the log are durable${isInCheckpoint ? ', in a checkpoint' : ''}`
  }

  /** Some pages as before the checkpoint, the others as after it. */
  #mixed(before: Buffer, after: Buffer): Buffer {
    const mixed = Buffer.from(after)
    for (let at = 0; at < before.length; at += PAGE_BYTES)
      if (this.random.chance(0.5)) before.copy(mixed, at, at, Math.min(at + PAGE_BYTES, before.length))
    return mixed
  }

  /** The WAL up to a byte after its last sync; the rest is cut off, zeros, noise, or written in part. */
  #cut(wal: Buffer, durable: number, end: number): Buffer {
    const written = Math.min(end, wal.length)
    const kept = durable + this.random.below(Math.max(0, written - durable) + 1)
    const how = this.random.pick(['cut', 'zeros', 'noise', 'sectors'] as const)
    if (how === 'cut' || end < wal.length) return wal.subarray(0, kept)
    const cut = Buffer.from(wal)
    for (let at = kept; at < written; at += SECTOR_BYTES) {
      const until = Math.min(at + SECTOR_BYTES, written)
      if (how === 'sectors' && this.random.chance(0.5)) continue
      cut.fill(how === 'noise' ? this.random.below(256) : 0, at, until)
    }
    return cut
  }

  #position(): WalPosition {
    this.#index ??= openSync(`${this.file}-shm`, 'r')
    if (fstatSync(this.#index).nlink === 0) return { salt: '', bytes: 0 }
    const header = Buffer.alloc(INDEX_BYTES)
    readSync(this.#index, header, 0, INDEX_BYTES, 0)
    const frames = header.readUInt32LE(FRAMES_AT)
    return {
      salt: header.toString('hex', SALTS_AT, INDEX_BYTES - 8),
      bytes: frames === 0 ? 0 : WAL_HEADER_BYTES + frames * FRAME_BYTES,
    }
  }
}
