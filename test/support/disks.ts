import { dlopen, ptr } from 'bun:ffi'
import { closeSync, openSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnSync } from 'bun'
import { newFolder } from './process.ts'

/** A separate file system, mounted at a folder. */
export interface Disk {
  readonly file: (name: string) => string
  /** Unmounts and deletes the file system with its content. */
  remove(): void
}

const run = (...command: string[]): boolean => {
  try {
    return spawnSync(command, { stdout: 'ignore', stderr: 'ignore' }).success
  } catch {
    return false
  }
}

function mounted(...how: string[]): Disk | undefined {
  const { path, file, remove } = newFolder()
  if (run('mount', ...how, path))
    return {
      file,
      remove: () => {
        run('umount', '--lazy', path)
        remove()
      },
    }
  remove()
  return undefined
}

/** A disk in memory that can be filled; undefined where this user may not mount one. */
export function smallDisk(kibibytes: number): (Disk & { fill(): void; empty(): void }) | undefined {
  const disk = mounted('-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs')
  if (!disk) return undefined
  const filler = disk.file('filler')
  return {
    ...disk,
    fill: () => {
      for (const block of [65_536, 4_096]) {
        try {
          for (;;) writeFileSync(filler, Buffer.alloc(block), { flag: 'a' })
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        }
      }
    },
    empty: () => rmSync(filler),
  }
}

/** `_IOR('X', 125, __u32)`. */
const EXT4_IOC_SHUTDOWN = 0x8004587dn
/**
 * Flushes earlier writes first. Without that flush, ext4 confirms a concurrent fsync and loses its data: a quarter of
 * programs that only append and sync lose their last block.
 */
const AFTER_WRITES = 0
const IMAGE_BYTES = 67_108_864

/** An ext4 disk that can stop working, as if unplugged; undefined where this machine has no loop devices. */
export function pullableDisk(): (Disk & { pull(): void; plugInAgain(): void }) | undefined {
  const folder = newFolder()
  const image = folder.file('image')
  writeFileSync(image, '')
  truncateSync(image, IMAGE_BYTES)
  const disk = run('mkfs.ext4', '-q', image) ? mounted('-o', 'loop', image) : undefined
  if (!disk) {
    folder.remove()
    return undefined
  }
  const path = join(disk.file('.'))
  return {
    ...disk,
    pull: () => {
      const { symbols } = dlopen('libc.so.6', {
        ioctl: { args: ['i32', 'u64', 'ptr'], returns: 'i32' },
      })
      const descriptor = openSync(path, 'r')
      const result = symbols.ioctl(descriptor, EXT4_IOC_SHUTDOWN, ptr(new Uint32Array([AFTER_WRITES])))
      closeSync(descriptor)
      if (result !== 0) throw new Error('The disk cannot be shut down.')
    },
    plugInAgain: () => {
      if (!run('umount', path) || !run('mount', '-o', 'loop', image, path))
        throw new Error('The disk cannot be mounted.')
    },
    remove: () => {
      disk.remove()
      folder.remove()
    },
  }
}
