import { BlobReader, type FileEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-custom.js'
import { joinedPath } from '../../../lib/paths.ts'
import { compareCodePoints } from '../../../lib/text.ts'
import { type FolderFile, isNoteFile, skipReason } from '../../../transfer/vault/plan/note.ts'
import { MANIFEST } from '../../../transfer/workspace/format.ts'

/** A file of a selected folder, whose bytes are read on demand. */
export interface SelectedFile extends FolderFile {
  read(): Promise<Blob>
}

/** A path in the folder, and a sentence about what happened to it. */
export interface Remark {
  readonly place: string
  readonly what: string
}

/** A selected folder, sorted by path. */
export interface SelectedFolder {
  readonly name: string
  readonly notes: readonly SelectedFile[]
  readonly otherFiles: readonly SelectedFile[]
  readonly skipped: readonly Remark[]
}

/** The skipped part of a path, with the reason. For a skipped folder, its path stands for all its files. */
function skippedPathOf(path: string): Remark | undefined {
  const names = path.split('/')
  for (const [at, name] of names.entries()) {
    const what = skipReason(name)
    if (what !== undefined) return { place: names.slice(0, at + 1).join('/'), what }
  }
  return undefined
}

/** Sorts files into notes, other files and skipped ones. Throws if the folder contains no notes or is an exported workspace. */
export function sortFiles(
  name: string,
  files: readonly SelectedFile[],
  skippedEntries: readonly Remark[] = [],
): SelectedFolder {
  const included = new Map<string, SelectedFile>()
  const skipped = new Map(skippedEntries.map((remark) => [remark.place, remark]))
  for (const file of files) {
    const remark = skippedPathOf(file.path)
    if (remark) skipped.set(remark.place, remark)
    else included.set(file.path, file)
  }
  if (included.has(MANIFEST))
    throw new Error(
      `“${name}” is an exported workspace, not a folder of notes. Import it with the command “daybook import”.`,
    )
  const sorted = [...included.values()].sort((left, right) => compareCodePoints(left.path, right.path))
  const notes = sorted.filter(isNoteFile)
  if (notes.length === 0)
    throw new Error(`“${name}” contains no Markdown files (.md). Choose another folder.`)
  return {
    name,
    notes,
    otherFiles: sorted.filter((file) => !isNoteFile(file)),
    skipped: [...skipped.values()].sort((left, right) => compareCodePoints(left.place, right.place)),
  }
}

export const UNREADABLE = 'it cannot be read; check its permissions.'

/** The bytes of a file. Throws if it can no longer be read. */
export async function bytesOf(file: SelectedFile): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await (await file.read()).arrayBuffer())
  } catch (error) {
    throw error instanceof DOMException ? new Error(UNREADABLE) : error
  }
}

const INVALID_ZIP = 'This is not a ZIP file, or it is damaged. Create it again.'
const DAMAGED = 'it is damaged; create the ZIP file again.'
const [STORED, DEFLATED] = [0, 8]

/** Decodes names as UTF-8 even if the ZIP file does not declare it, else as windows-1252. */
function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Lists the entries without loading the ZIP file, which may be larger than the memory. */
const entriesInZip = (zip: Blob) =>
  new ZipReader(new BlobReader(zip), { decodeText: decodeName, filenameValidation: 'tolerant' })
    .getEntries()
    .catch(() => {
      throw new Error(INVALID_ZIP)
    })

/** Fails once an entry has more bytes than declared, because there could be any number of them. */
function limitBytes(bytes: number) {
  let remaining = bytes
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      remaining -= chunk.byteLength
      if (remaining < 0) controller.error(new Error(DAMAGED))
      else controller.enqueue(chunk)
    },
  })
}

async function extract(entry: FileEntry): Promise<Blob> {
  const { encrypted, compressionMethod, uncompressedSize } = entry
  if (encrypted) throw new Error('it has a password; create the ZIP file without one.')
  if (compressionMethod !== STORED && compressionMethod !== DEFLATED)
    throw new Error('its compression method is not supported; create the ZIP file with another program.')
  const { readable, writable } = limitBytes(uncompressedSize)
  try {
    const blob = new Response(readable).blob()
    const [file] = await Promise.all([blob, entry.getData(writable, { useWebWorkers: false })])
    return file
  } catch {
    throw new Error(DAMAGED)
  }
}

/** The files of a ZIP file. If all are in one folder, their paths are relative to it. */
export async function filesOfZip(zip: File): Promise<SelectedFolder> {
  const skippedEntries: Remark[] = []
  const files: SelectedFile[] = []
  for (const entry of await entriesInZip(zip)) {
    const name = entry.filename.replaceAll('\\', '/')
    if (entry.directory || name.endsWith('/') || name.startsWith('__MACOSX/')) continue
    const path = joinedPath('', name)
    if (path === undefined) skippedEntries.push({ place: name, what: 'its path leads outside the folder.' })
    else if (entry.symlink) skippedEntries.push({ place: path, what: 'it is neither a file nor a folder.' })
    else
      files.push({
        path,
        bytes: entry.uncompressedSize,
        modifiedAt: entry.lastModDate.getTime(),
        read: () => extract(entry),
      })
  }
  const [top = ''] = files[0]?.path.split('/') ?? []
  const isOneFolder = files.every(({ path }) => path.startsWith(`${top}/`))
  const below = (path: string) => (isOneFolder ? path.slice(top.length + 1) : path)
  return sortFiles(
    zip.name,
    files.map((file) => ({ ...file, path: below(file.path) })),
    skippedEntries,
  )
}
