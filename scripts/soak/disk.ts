import { mkdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { spawnSync } from 'bun'

const SIZE = '2g'
/** A few pages remain, so that some writes still find room. */
const LEFT_BYTES = 65_536

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

  fill(): void {
    const { bavail, bsize } = statfsSync(this.path)
    spawnSync(['fallocate', '-l', String(Math.max(bsize, bavail * bsize - LEFT_BYTES)), this.#ballast])
  }

  clear(): void {
    rmSync(this.#ballast, { force: true })
  }

  unmount(): void {
    spawnSync(['umount', this.path])
  }
}
