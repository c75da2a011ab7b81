import { Database } from 'bun:sqlite'
import { mkdirSync, rmSync, statfsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { spawnSync } from 'bun'

const SIZE = '1g'
/** A few pages remain, so that some writes still find room. */
const LEFT_BYTES = 65_536
const PIECE = Buffer.alloc(4_194_304)

/** A disk of its own for the database, in memory, that can be filled. */
export class Disk {
  private constructor(readonly path: string) {}

  /** Undefined where mounting is not allowed; the folder is there all the same. */
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

  /** Leaves almost no room; none either in the write-ahead log of the database, which would be used again. */
  async fill(database: string): Promise<void> {
    const connection = new Database(database)
    connection.run('PRAGMA busy_timeout = 2000')
    connection.run('PRAGMA wal_checkpoint(TRUNCATE)')
    connection.close()
    const ballast = await open(this.#ballast, 'w')
    try {
      for (let room = this.#roomBytes(); room > LEFT_BYTES; room = this.#roomBytes()) {
        await ballast.write(PIECE, 0, Math.min(PIECE.length, room - LEFT_BYTES))
      }
    } finally {
      await ballast.close()
    }
  }

  #roomBytes(): number {
    const { bavail, bsize } = statfsSync(this.path)
    return bavail * bsize
  }

  clear(): void {
    rmSync(this.#ballast, { force: true })
  }

  unmount(): void {
    // Lazily: a command may still have something open.
    spawnSync(['umount', '-l', this.path])
  }
}
