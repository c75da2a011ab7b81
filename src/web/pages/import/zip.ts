import { BlobReader, type FileEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-custom.js'
import { joinedPath } from '../../../lib/paths.ts'
import { type ChosenFile, type ChosenFolder, type Remark, sortFiles } from './folder.ts'

const NOT_ZIP = 'This is not a zip file, or it is damaged; make it again.'
const DAMAGED = 'it is damaged; make the zip file again.'
const [STORED, DEFLATED] = [0, 8]

/** Names are UTF-8, also where the zip file does not say so; else every byte is a character. */
function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** The list of what is in a zip file, which may be larger than the memory. */
const entriesOf = (zip: Blob) =>
  new ZipReader(new BlobReader(zip), { decodeText, filenameValidation: 'tolerant' })
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

async function read(entry: FileEntry): Promise<Blob> {
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
  for (const entry of await entriesOf(zip)) {
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
        read: () => read(entry),
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
