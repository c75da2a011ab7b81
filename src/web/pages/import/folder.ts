import { BlobReader, type FileEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-custom.js'
import { joinedPath } from '../../../lib/paths.ts'
import { compareCodePoints } from '../../../lib/text.ts'
import { type FolderFile, isNoteFile, skipReason } from '../../../portability/vault/plan/note.ts'
import { MANIFEST } from '../../../portability/workspace/format.ts'

/** A file of a folder that is imported; its bytes are read when they are needed. */
export interface ChosenFile extends FolderFile {
  read(): Promise<Blob>
}

/** Something of a folder, and a sentence about what became of it. */
export interface Remark {
  readonly place: string
  readonly what: string
}

/** A folder that was chosen, sorted by path. */
export interface ChosenFolder {
  readonly name: string
  readonly notes: readonly ChosenFile[]
  readonly otherFiles: readonly ChosenFile[]
  readonly skipped: readonly Remark[]
}

/** The part of a path that is left out, and why; of a folder only itself is named. */
function skippedPart(path: string): Remark | undefined {
  const names = path.split('/')
  for (const [at, name] of names.entries()) {
    const what = skipReason(name)
    if (what !== undefined) return { place: names.slice(0, at + 1).join('/'), what }
  }
  return undefined
}

/** Sorts files into those that become notes, others, and those that are left out. Refuses what is not a folder of notes. */
export function sortFiles(
  name: string,
  files: readonly ChosenFile[],
  left: readonly Remark[] = [],
): ChosenFolder {
  const kept = new Map<string, ChosenFile>()
  const skipped = new Map(left.map((remark) => [remark.place, remark]))
  for (const file of files) {
    const remark = skippedPart(file.path)
    if (remark) skipped.set(remark.place, remark)
    else kept.set(file.path, file)
  }
  if (kept.has(MANIFEST))
    throw new Error(
      `"${name}" is an exported workspace, not a folder of notes; import it with the command "daybook import".`,
    )
  const sorted = [...kept.values()].sort((left, right) => compareCodePoints(left.path, right.path))
  const notes = sorted.filter(isNoteFile)
  if (notes.length === 0)
    throw new Error(`"${name}" holds no Markdown file (.md); choose a folder that holds some.`)
  return {
    name,
    notes,
    otherFiles: sorted.filter((file) => !isNoteFile(file)),
    skipped: [...skipped.values()].sort((left, right) => compareCodePoints(left.place, right.place)),
  }
}

export const UNREADABLE = 'it cannot be read; check its permissions.'

/** The bytes of a file; refuses one that can no longer be read. */
export async function bytesOf(file: ChosenFile): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await (await file.read()).arrayBuffer())
  } catch (error) {
    throw error instanceof DOMException ? new Error(UNREADABLE) : error
  }
}

const NOT_ZIP = 'This is not a zip file, or it is damaged; make it again.'
const DAMAGED = 'it is damaged; make the zip file again.'
const [STORED, DEFLATED] = [0, 8]

/** Names are UTF-8, also where the zip file does not say so; else every byte is a character. */
function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** The list of what is in a zip file, which may be larger than the memory. */
const entriesInZip = (zip: Blob) =>
  new ZipReader(new BlobReader(zip), { decodeText: decodeName, filenameValidation: 'tolerant' })
    .getEntries()
    .catch(() => {
      throw new Error(NOT_ZIP)
    })

/** Ends with an error once there are more bytes than a file is said to have: they could be any number. */
function atMost(bytes: number) {
  let left = bytes
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.byteLength
      if (left < 0) controller.error(new Error(DAMAGED))
      else controller.enqueue(chunk)
    },
  })
}

async function unpacked(entry: FileEntry): Promise<Blob> {
  const { encrypted, compressionMethod, uncompressedSize } = entry
  if (encrypted) throw new Error('it has a password; make the zip file without one.')
  if (compressionMethod !== STORED && compressionMethod !== DEFLATED)
    throw new Error(
      'it is packed in a way that this page does not know; make the zip file with another program.',
    )
  const { readable, writable } = atMost(uncompressedSize)
  try {
    const blob = new Response(readable).blob()
    const [file] = await Promise.all([blob, entry.getData(writable, { useWebWorkers: false })])
    return file
  } catch {
    throw new Error(DAMAGED)
  }
}

/** The files of a zip file; where all of them are in one folder, their paths begin below it. */
export async function filesOfZip(zip: File): Promise<ChosenFolder> {
  const left: Remark[] = []
  const files: ChosenFile[] = []
  for (const entry of await entriesInZip(zip)) {
    const name = entry.filename.replaceAll('\\', '/')
    if (entry.directory || name.endsWith('/') || name.startsWith('__MACOSX/')) continue
    const path = joinedPath('', name)
    if (path === undefined) left.push({ place: name, what: 'its path leads out of the folder.' })
    else if (entry.symlink) left.push({ place: path, what: 'it is neither a file nor a folder.' })
    else
      files.push({
        path,
        bytes: entry.uncompressedSize,
        modifiedAt: entry.lastModDate.getTime(),
        read: () => unpacked(entry),
      })
  }
  const [top = ''] = files[0]?.path.split('/') ?? []
  const isOneFolder = files.every(({ path }) => path.startsWith(`${top}/`))
  const below = (path: string) => (isOneFolder ? path.slice(top.length + 1) : path)
  return sortFiles(
    zip.name,
    files.map((file) => ({ ...file, path: below(file.path) })),
    left,
  )
}
