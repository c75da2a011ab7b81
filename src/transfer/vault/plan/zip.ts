import { BlobReader, type FileEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-custom.js'
import { joinedPath } from '../../../lib/paths.ts'

/** A file in a ZIP file, whose bytes are read on demand. */
export interface ZippedFile {
  readonly path: string
  readonly bytes: number
  readonly modifiedAt: number
  /** Throws an error with a sentence for an entry that cannot be read. */
  read(): Promise<Blob>
}

interface ZipContent {
  readonly files: readonly ZippedFile[]
  readonly skipped: readonly { readonly place: string; readonly what: string }[]
}

const INVALID_ZIP = 'This is not a ZIP file, or it is damaged. Create it again.'
const TOO_LARGE = 'The ZIP files in it are too large to open here. Unpack it, and choose the folder.'
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

/** A large Notion export is a ZIP file of ZIP files. */
const PART = /^[^/]+\.zip$/i
/** Parts are read into memory. ZIP files hardly shrink within another one, unless they are made to fill the memory. */
const MAX_GROWTH = 4
const SMALL_BYTES = 268_435_456

/** The files of a ZIP file, without the folder that contains all of them. Throws if it cannot be opened. */
export async function zippedFiles(zip: Blob): Promise<ZipContent> {
  const { files, skipped } = await contentOf(zip)
  const isWhole = files.length > 0 && files.every(({ path }) => PART.test(path))
  const parts: ZipContent[] = []
  if (isWhole) {
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    if (bytes > Math.max(SMALL_BYTES, MAX_GROWTH * zip.size)) throw new Error(TOO_LARGE)
    for (const file of files) parts.push(await contentOf(await file.read()))
  }
  const all = isWhole ? parts.flatMap((part) => part.files) : files
  const [top = ''] = all[0]?.path.split('/') ?? []
  // A bundle of Bear is a note.
  const isOneFolder = !top.endsWith('.textbundle') && all.every(({ path }) => path.startsWith(`${top}/`))
  return {
    files: all.map((file) => (isOneFolder ? { ...file, path: file.path.slice(top.length + 1) } : file)),
    skipped: [...skipped, ...parts.flatMap((part) => part.skipped)],
  }
}

async function contentOf(zip: Blob): Promise<ZipContent> {
  const skipped: { place: string; what: string }[] = []
  const files: ZippedFile[] = []
  for (const entry of await entriesInZip(zip)) {
    const name = entry.filename.replaceAll('\\', '/')
    if (entry.directory || name.endsWith('/') || name.startsWith('__MACOSX/')) continue
    const path = joinedPath('', name)
    if (path === undefined) skipped.push({ place: name, what: 'its path leads outside the folder.' })
    else if (entry.symlink) skipped.push({ place: path, what: 'it is neither a file nor a folder.' })
    else
      files.push({
        path,
        bytes: entry.uncompressedSize,
        modifiedAt: entry.lastModDate.getTime(),
        read: () => extract(entry),
      })
  }
  return { files, skipped }
}
