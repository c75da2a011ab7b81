import {
  closeSync,
  mkdirSync,
  openSync,
  readSync,
  statfsSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { MAX_FILE_BYTES } from '../../files/size-limit.ts'
import { refused } from '../../lib/refusal.ts'
import { isZip } from '../csv/other-format.ts'
import type { RefusedPart } from '../import-run.ts'
import { systemRefusal } from '../read-file.ts'
import { type ZippedFile, zippedFiles } from './plan/zip.ts'

/** The files of an archive that could not be unpacked. */
export interface Unpacked {
  readonly unreadable: readonly RefusedPart[]
  readonly skipped: readonly RefusedPart[]
  /** The program that exported the archive, if its format tells. */
  readonly program?: 'evernote' | 'joplin'
}

type Unpack = (source: string, folder: string) => Unpacked | Promise<Unpacked>

const SNIFF_BYTES = 4_096
const [TAR_MARK, TAR_MARK_AT] = ['ustar', 257]

/** The function that unpacks the notes of an archive into an empty folder; undefined for anything else. */
export async function unpackerOf(path: string): Promise<Unpack | undefined> {
  if (statSync(path).isDirectory()) {
    const { isJoplinFolder, unpackJoplin } = await import('./convert/joplin.ts')
    return isJoplinFolder(path) ? unpackJoplin : undefined
  }
  const beginning = beginningOf(path)
  if (beginning.startsWith('PK\x03\x04')) return isZip(path) ? unpackZip : undefined
  if (beginning.includes('<en-export')) return (await import('./convert/enex.ts')).unpackEnex
  const isTar = beginning.startsWith(TAR_MARK, TAR_MARK_AT)
  return isTar ? (await import('./convert/joplin.ts')).unpackJoplin : undefined
}

function beginningOf(path: string): string {
  const handle = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(SNIFF_BYTES)
    return bytes.subarray(0, readSync(handle, bytes)).toString('latin1')
  } finally {
    closeSync(handle)
  }
}

const fullDisk = () => refused('The disk with temporary files is full; free some space, or set TMPDIR.')

/** Refuses files that do not fit on the disk, before they fill it. A small archive may hold any number of bytes. */
function refuseOverfull(files: readonly ZippedFile[], folder: string): void {
  const bytes = files.reduce((sum, file) => sum + (file.bytes > MAX_FILE_BYTES ? 0 : file.bytes), 0)
  const { bavail, bsize } = statfsSync(folder)
  if (bytes > bavail * bsize) throw fullDisk()
}

/** Unpacks a ZIP file into an empty folder. Refuses a damaged one. */
async function unpackZip(zip: string, folder: string): Promise<Unpacked> {
  const { files, skipped } = await zippedFiles(Bun.file(zip)).catch((error: Error) => {
    throw systemRefusal(error, zip) ?? refused(`${zip} cannot be opened. ${error.message}`)
  })
  refuseOverfull(files, folder)
  const unreadable: RefusedPart[] = []
  for (const file of files) {
    const reason = await failureOf(file, folder)
    if (reason !== undefined) unreadable.push({ place: file.path, reason })
  }
  return { unreadable, skipped: skipped.map(({ place, what }) => ({ place, reason: what })) }
}

/** Unpacks a file. Returns the reason if it could not be. */
async function failureOf(file: ZippedFile, folder: string): Promise<string | undefined> {
  if (file.bytes > MAX_FILE_BYTES) return 'The file is larger than 50 MiB; add a smaller one.'
  if (file.path.includes('\0')) return 'its name holds a NUL character.'
  const path = join(folder, file.path)
  try {
    const bytes = new Uint8Array(await (await file.read()).arrayBuffer())
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes, { flag: 'wx' })
    // A damaged time is NaN.
    const seconds = Math.max(file.modifiedAt || 0, 0) / 1_000
    utimesSync(path, seconds, seconds)
    return undefined
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC') throw fullDisk()
    if (code === 'EEXIST' || code === 'EISDIR' || code === 'ENOTDIR')
      return 'another file of the archive has the same path on this system.'
    return syscall === undefined ? (error as Error).message : (systemRefusal(error)?.message ?? '')
  }
}
