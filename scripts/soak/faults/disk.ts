import { Database } from 'bun:sqlite'
import { mkdirSync, rmSync, statfsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { spawnSync } from 'bun'

const SIZE = '1g'
/** Enough for a few pages, so that some writes still succeed. */
const FREE_BYTES = 65_536
const PIECE = Buffer.alloc(4_194_304)

/** An in-memory file system for the database, which can be filled. */
export class Disk {
  private constructor(readonly path: string) {}

  /** Creates the folder and mounts the disk on it; returns undefined where mounting is not allowed. */
  static mount(path: string): Disk | undefined {
    mkdirSync(path)
    const { exitCode } = spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', path], {
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    return exitCode === 0 ? new Disk(path) : undefined
  }

  get #ballast(): string {
    return join(this.path, 'ballast')
  }

  /** Leaves almost no space. This includes the write-ahead log, which SQLite would otherwise reuse. */
  async fill(database: string): Promise<void> {
    const connection = new Database(database)
    connection.run('PRAGMA busy_timeout = 2000')
    connection.run('PRAGMA wal_checkpoint(TRUNCATE)')
    connection.close()
    const ballast = await open(this.#ballast, 'w')
    try {
      for (let free = this.#freeBytes(); free > FREE_BYTES; free = this.#freeBytes()) {
        await ballast.write(PIECE, 0, Math.min(PIECE.length, free - FREE_BYTES))
      }
    } finally {
      await ballast.close()
    }
  }

  #freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.path)
    return bavail * bsize
  }

  clear(): void {
    rmSync(this.#ballast, { force: true })
  }

  unmount(): void {
    // Unmounts lazily, because a command may still have a file open.
    spawnSync(['umount', '-l', this.path])
  }
}
