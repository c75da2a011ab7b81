/**
 * A set of notes with one bit per pk. A complement contains the notes with unset bits, so "all notes except" needs no
 * list of all notes. Every operator and group of a filter tree is an operation on such sets.
 */
export interface Bitset {
  readonly bits: Int32Array
  readonly isComplement: boolean
}

/** The set of these pks; `size` is above every pk. */
export function bitsetOf(pks: readonly number[], size: number): Bitset {
  const bits = new Int32Array((size >>> 5) + 1)
  for (const pk of pks) {
    const at = pk >>> 5
    bits[at] = (bits[at] ?? 0) | (1 << (pk & 31))
  }
  return { bits, isComplement: false }
}

export const complementOf = ({ bits, isComplement }: Bitset): Bitset => ({
  bits,
  isComplement: !isComplement,
})

export function intersection(left: Bitset, right: Bitset): Bitset {
  if (left.isComplement && !right.isComplement) return intersection(right, left)
  const combine = right.isComplement ? (left.isComplement ? either : leftOnly) : both
  return { bits: combine(left.bits, right.bits), isComplement: left.isComplement }
}

// One loop per operation: a callback per word takes several times as long.

function both(left: Int32Array, right: Int32Array): Int32Array {
  const bits = new Int32Array(left.length)
  for (let at = 0; at < bits.length; at++) bits[at] = (left[at] ?? 0) & (right[at] ?? 0)
  return bits
}

function either(left: Int32Array, right: Int32Array): Int32Array {
  const bits = new Int32Array(left.length)
  for (let at = 0; at < bits.length; at++) bits[at] = (left[at] ?? 0) | (right[at] ?? 0)
  return bits
}

function leftOnly(left: Int32Array, right: Int32Array): Int32Array {
  const bits = new Int32Array(left.length)
  for (let at = 0; at < bits.length; at++) bits[at] = (left[at] ?? 0) & ~(right[at] ?? 0)
  return bits
}

export const union = (left: Bitset, right: Bitset): Bitset =>
  complementOf(intersection(complementOf(left), complementOf(right)))

/** Whether the note is in the set. A complement contains every pk without a bit, whether or not it is a note. */
export const isIn = ({ bits, isComplement }: Bitset, pk: number): boolean =>
  (((bits[pk >>> 5] ?? 0) >>> (pk & 31)) & 1) === (isComplement ? 0 : 1)

/** The number of set bits, which is the size of a set that is not a complement. */
export function countBits({ bits }: Bitset): number {
  let count = 0
  for (let word of bits) {
    word -= (word >>> 1) & 0x55555555
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return count
}

/** The pks of the set bits, ascending. */
export function pksOf({ bits }: Bitset): number[] {
  const pks: number[] = []
  for (const [at, word] of bits.entries()) {
    for (let rest = word; rest !== 0; rest &= rest - 1) pks.push(at * 32 + 31 - Math.clz32(rest & -rest))
  }
  return pks
}
