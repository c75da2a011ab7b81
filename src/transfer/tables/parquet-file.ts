import type { Cell, Column, ColumnType } from './tables.ts'
import { i32, i64, list, struct, text } from './thrift.ts'

/*
 * A Parquet file of flat nullable columns, in plain encoding and uncompressed. A magic number precedes groups of rows,
 * each with one page per column; the metadata and its length follow. https://parquet.apache.org/docs/file-format/
 */

const PHYSICAL = { bool: 0, int32: 1, int64: 2, double: 5, bytes: 6 }
const CONVERTED = { utf8: 0, date: 6, timestampMillis: 9 }

const TYPES: Record<ColumnType, { readonly physical: number; readonly converted?: number }> = {
  text: { physical: PHYSICAL.bytes, converted: CONVERTED.utf8 },
  integer: { physical: PHYSICAL.int32 },
  long: { physical: PHYSICAL.int64 },
  number: { physical: PHYSICAL.double },
  bool: { physical: PHYSICAL.bool },
  day: { physical: PHYSICAL.int32, converted: CONVERTED.date },
  time: { physical: PHYSICAL.int64, converted: CONVERTED.timestampMillis },
}

const MAGIC = Buffer.from('PAR1')
const OPTIONAL = 1
const PLAIN = 0
const RLE = 3
const UNCOMPRESSED = 0
const DATA_PAGE = 0

const TWO_TO_32 = 2 ** 32
/** The maximum number of UTF-8 bytes of a character in a JavaScript string. */
const BYTES_PER_CHARACTER = 3
const LONGEST_NUMBER = 8

/** One bit per value, in runs of eight. */
function bits(values: readonly Cell[], isSet: (value: Cell) => boolean): Buffer {
  const bytes = Buffer.alloc(Math.ceil(values.length / 8))
  let at = 0
  for (const value of values) {
    if (isSet(value)) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (1 << (at & 7))
    at += 1
  }
  return bytes
}

const isThere = (value: Cell) => value !== null

/** Marks the values that are not null, in one run of single bits after its length and a header. */
function definitionLevels(values: readonly Cell[]): Buffer {
  const levels = bits(values, isThere)
  const header: number[] = []
  let rest = (levels.length << 1) | 1
  for (; rest > 0x7f; rest >>>= 7) header.push((rest & 0x7f) | 0x80)
  header.push(rest)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(header.length + levels.length)
  return Buffer.concat([length, Buffer.from(header), levels])
}

/** Writes a 64-bit integer; returns the position after it. */
function writeLong(to: Buffer, value: number, at: number): number {
  const high = Math.floor(value / TWO_TO_32)
  to.writeUInt32LE(value - high * TWO_TO_32, at)
  return to.writeInt32LE(high, at + 4)
}

/** Writes a value at a position; returns the position after it. */
const WRITERS: Record<
  Exclude<ColumnType, 'bool'>,
  (to: Buffer, value: string & number, at: number) => number
> = {
  text: (to, value, at) => {
    const length = to.write(value, at + 4)
    return to.writeUInt32LE(length, at) + length
  },
  integer: (to, value, at) => to.writeInt32LE(value, at),
  day: (to, value, at) => to.writeInt32LE(value, at),
  number: (to, value, at) => to.writeDoubleLE(value, at),
  long: writeLong,
  time: writeLong,
}

/** The values that are not null, in sequence. */
function plainValues(type: ColumnType, values: readonly Cell[]): Buffer {
  if (type === 'bool') return bits(values.filter(isThere), (value) => value === 1)
  const write = WRITERS[type]
  let size = 0
  for (const value of values)
    size += typeof value === 'string' ? 4 + BYTES_PER_CHARACTER * value.length : LONGEST_NUMBER
  const buffer = Buffer.allocUnsafe(size)
  let end = 0
  for (const value of values) if (value !== null) end = write(buffer, value as string & number, end)
  return buffer.subarray(0, end)
}

export class ParquetFile {
  #offset = 0
  #rows = 0
  readonly #groups: ReturnType<typeof struct>[] = []

  constructor(
    private readonly columns: readonly Column[],
    private readonly output: (bytes: Uint8Array) => void,
  ) {
    this.#write(MAGIC)
  }

  #write(bytes: Uint8Array): void {
    this.output(bytes)
    this.#offset += bytes.length
  }

  /** Writes at least one row as a group, the unit that readers read at once. */
  writeGroup(rows: readonly (readonly Cell[])[]): void {
    const begin = this.#offset
    const chunks = this.columns.map((column, at) => {
      const values = rows.map((row) => row[at] ?? null)
      return this.#writeColumn(column, values)
    })
    const size = this.#offset - begin
    this.#groups.push(struct({ 1: list(chunks), 2: i64(size), 3: i64(rows.length) }))
    this.#rows += rows.length
  }

  #writeColumn({ name, type }: Column, values: readonly Cell[]) {
    const begin = this.#offset
    const count = i32(values.length)
    const levels = definitionLevels(values)
    const plain = plainValues(type, values)
    const size = i32(levels.length + plain.length)
    const page = struct({ 1: count, 2: i32(PLAIN), 3: i32(RLE), 4: i32(RLE) })
    this.#write(Buffer.from(struct({ 1: i32(DATA_PAGE), 2: size, 3: size, 5: page }).bytes))
    this.#write(levels)
    this.#write(plain)
    const length = i64(this.#offset - begin)
    const metadata = struct({
      1: i32(TYPES[type].physical),
      2: list([i32(PLAIN), i32(RLE)]),
      3: list([text(name)]),
      4: i32(UNCOMPRESSED),
      5: i64(values.length),
      6: length,
      7: length,
      9: i64(begin),
    })
    return struct({ 2: i64(begin), 3: metadata })
  }

  /** Writes the metadata, without which the file is unreadable. */
  end(): void {
    const elements = this.columns.map(({ name, type }) => {
      const { physical, converted } = TYPES[type]
      const element = { 1: i32(physical), 3: i32(OPTIONAL), 4: text(name) }
      return struct(converted === undefined ? element : { ...element, 6: i32(converted) })
    })
    const root = struct({ 4: text('schema'), 5: i32(elements.length) })
    const schema = list([root, ...elements])
    const metadata = Buffer.from(
      struct({ 1: i32(1), 2: schema, 3: i64(this.#rows), 4: list(this.#groups), 6: text('daybook') }).bytes,
    )
    const length = Buffer.alloc(4)
    length.writeUInt32LE(metadata.length)
    this.#write(Buffer.concat([metadata, length, MAGIC]))
  }
}
