import { joinedPath } from '../../../lib/paths.ts'
import { type ChosenFile, type ChosenFolder, type Remark, sortFiles } from './folder.ts'

/*
 * A zip file (APPNOTE.TXT of PKWARE), of which only the list of its files is read at first: its size does not matter.
 */

const END = 0x06054b50
const END_BYTES = 22
const MAX_COMMENT = 65_535
const END_64_PLACE = 0x07064b50
const END_64_PLACE_BYTES = 20
const END_64_BYTES = 56
const ENTRY = 0x02014b50
const ENTRY_BYTES = 46
const LOCAL_BYTES = 30
const IN_64 = 0xffffffff
const [STORED, DEFLATED] = [0, 8]
const ENCRYPTED = 0x1
const IS_UTF_8 = 0x800
const [SIZES_64, UNIX_TIME] = [0x0001, 0x5455]

const NOT_ZIP = 'This is not a zip file, or it is damaged; make it again.'

async function view(blob: Blob, from: number, to: number): Promise<DataView> {
  return new DataView(await blob.slice(from, to).arrayBuffer())
}

const long = (data: DataView, at: number): number => Number(data.getBigUint64(at, true))

/** Where the list of files is. */
async function findList(zip: Blob): Promise<{ from: number; to: number }> {
  const start = Math.max(0, zip.size - END_BYTES - MAX_COMMENT)
  const tail = await view(zip, start, zip.size)
  let at = tail.byteLength - END_BYTES
  while (at >= 0 && tail.getUint32(at, true) !== END) at -= 1
  if (at < 0) throw new Error(NOT_ZIP)
  const size = tail.getUint32(at + 12, true)
  const from = tail.getUint32(at + 16, true)
  const place = at - END_64_PLACE_BYTES
  const is64 = place >= 0 && tail.getUint32(place, true) === END_64_PLACE
  if (!is64) return { from, to: from + size }
  const end = long(tail, place + 8)
  const end64 = await view(zip, end, end + END_64_BYTES)
  const from64 = long(end64, 48)
  return { from: from64, to: from64 + long(end64, 40) }
}

interface Entry {
  readonly name: string
  readonly isLink: boolean
  readonly flags: number
  readonly method: number
  readonly packed: number
  readonly bytes: number
  readonly offset: number
  readonly modifiedAt: number
}

/** Names are UTF-8, also where the zip file does not say so; else every byte is a character. */
function nameOf(bytes: Uint8Array, flags: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: (flags & IS_UTF_8) === 0 }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** In local time and even seconds. */
const dosTime = (date: number, time: number): number =>
  new Date(
    (date >> 9) + 1980,
    ((date >> 5) & 0xf) - 1,
    date & 0x1f,
    time >> 11,
    (time >> 5) & 0x3f,
    (time & 0x1f) * 2,
  ).getTime()

/** The parts behind the name, by their kind. */
function extrasOf(data: DataView): Map<number, DataView> {
  const extras = new Map<number, DataView>()
  for (let at = 0; at + 4 <= data.byteLength; ) {
    const size = Math.min(data.getUint16(at + 2, true), data.byteLength - at - 4)
    extras.set(data.getUint16(at, true), new DataView(data.buffer, data.byteOffset + at + 4, size))
    at += 4 + size
  }
  return extras
}

const within = (data: DataView, at: number, length: number) =>
  new DataView(data.buffer, data.byteOffset + at, length)

function* entriesIn(list: DataView): Generator<Entry> {
  for (let at = 0; at + ENTRY_BYTES <= list.byteLength; ) {
    if (list.getUint32(at, true) !== ENTRY) throw new Error(NOT_ZIP)
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((more) =>
      list.getUint16(at + more, true),
    ) as [number, number, number]
    const flags = list.getUint16(at + 8, true)
    const name = within(list, at + ENTRY_BYTES, nameLength)
    const extras = extrasOf(within(list, at + ENTRY_BYTES + nameLength, extraLength))
    const longs = extras.get(SIZES_64)
    let next = 0
    /** A number that does not fit into its place is in an extra part. */
    const numberAt = (place: number): number => {
      const short = list.getUint32(at + place, true)
      if (short !== IN_64 || !longs) return short
      next += 8
      return long(longs, next - 8)
    }
    const bytes = numberAt(24)
    const packed = numberAt(20)
    const offset = numberAt(42)
    const unixTime = extras.get(UNIX_TIME)
    const hasTime = unixTime !== undefined && unixTime.byteLength >= 5 && (unixTime.getUint8(0) & 1) === 1
    yield {
      name: nameOf(new Uint8Array(name.buffer, name.byteOffset, nameLength), flags),
      isLink: ((list.getUint32(at + 38, true) >>> 16) & 0xf000) === 0xa000,
      flags,
      method: list.getUint16(at + 10, true),
      packed,
      bytes,
      offset,
      modifiedAt: hasTime
        ? unixTime.getInt32(1, true) * 1_000
        : dosTime(list.getUint16(at + 14, true), list.getUint16(at + 12, true)),
    }
    at += ENTRY_BYTES + nameLength + extraLength + commentLength
  }
}

const DAMAGED = 'it is damaged; make the zip file again.'

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

/** The bytes of a packed file; undefined when it is damaged. */
const unpacked = (content: Blob, bytes: number): Promise<Blob | undefined> =>
  new Response(
    content.stream().pipeThrough(new DecompressionStream('deflate-raw')).pipeThrough(atMost(bytes)),
  )
    .blob()
    .catch(() => undefined)

async function read(zip: Blob, { flags, method, packed, bytes, offset }: Entry): Promise<Blob> {
  if ((flags & ENCRYPTED) !== 0) throw new Error('it has a password; make the zip file without one.')
  if (method !== STORED && method !== DEFLATED)
    throw new Error(
      'it is packed in a way that this page does not know; make the zip file with another program.',
    )
  const local = await view(zip, offset, offset + LOCAL_BYTES)
  const start = offset + LOCAL_BYTES + local.getUint16(26, true) + local.getUint16(28, true)
  const content = zip.slice(start, start + packed)
  const file = method === STORED ? content : await unpacked(content, bytes)
  if (file?.size !== bytes) throw new Error(DAMAGED)
  return file
}

/** The files of a zip file; where all of them are in one folder, their paths begin below it. */
export async function filesOfZip(zip: File): Promise<ChosenFolder> {
  const { from, to } = await findList(zip)
  const left: Remark[] = []
  const files: ChosenFile[] = []
  for (const entry of entriesIn(await view(zip, from, to))) {
    const name = entry.name.replaceAll('\\', '/')
    if (name.endsWith('/') || name.startsWith('__MACOSX/')) continue
    const path = joinedPath('', name)
    if (path === undefined) left.push({ place: name, what: 'its path leads out of the folder.' })
    else if (entry.isLink) left.push({ place: path, what: 'it is neither a file nor a folder.' })
    else files.push({ path, bytes: entry.bytes, modifiedAt: entry.modifiedAt, read: () => read(zip, entry) })
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
