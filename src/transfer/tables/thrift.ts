/*
 * The subset of Thrift's compact protocol that the metadata of a Parquet file needs.
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */

/** The bytes of a value, after its type. */
export interface Encoded {
  readonly type: number
  readonly bytes: readonly number[]
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  // Sizes and offsets may need more than 32 bits.
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return [...bytes, rest]
}

const TYPE = { i32: 5, i64: 6, text: 8, list: 9, struct: 12 }

/** Numbers in the metadata are never negative. */
export const i32 = (value: number): Encoded => ({ type: TYPE.i32, bytes: varint(2 * value) })
export const i64 = (value: number): Encoded => ({ type: TYPE.i64, bytes: varint(2 * value) })

export function text(value: string): Encoded {
  const bytes = Buffer.from(value)
  return { type: TYPE.text, bytes: [...varint(bytes.length), ...bytes] }
}

const MOST_IN_HEADER = 14

export function list(values: readonly Encoded[]): Encoded {
  const type = values[0]?.type ?? TYPE.struct
  const { length } = values
  const head = length <= MOST_IN_HEADER ? [(length << 4) | type] : [0xf0 | type, ...varint(length)]
  return { type: TYPE.list, bytes: [...head, ...values.flatMap(({ bytes }) => bytes)] }
}

/** The fields by number, ascending. */
export function struct(fields: Readonly<Record<number, Encoded>>): Encoded {
  let last = 0
  const bytes = Object.entries(fields).flatMap(([id, { type, bytes }]) => {
    const delta = Number(id) - last
    last = Number(id)
    return [(delta << 4) | type, ...bytes]
  })
  return { type: TYPE.struct, bytes: [...bytes, 0] }
}
