/**
 * A set of notes, one bit for each pk; as a complement it holds the notes that have no bit. Every operator and
 * group of a filter tree is an operation on such sets, and what they leave out is never listed.
 */
export interface NoteSet {
  readonly bits: Int32Array
  readonly isComplement: boolean
}

/** The set of these pks; `size` is above every pk. */
export function setOf(pks: readonly number[], size: number): NoteSet {
  const bits = new Int32Array((size >>> 5) + 1)
  for (const pk of pks) {
    const at = pk >>> 5
    bits[at] = (bits[at] ?? 0) | (1 << (pk & 31))
  }
  return { bits, isComplement: false }
}

export const complementOf = ({ bits, isComplement }: NoteSet): NoteSet => ({
  bits,
  isComplement: !isComplement,
})

export function intersection(left: NoteSet, right: NoteSet): NoteSet {
  if (left.isComplement && !right.isComplement) return intersection(right, left)
  const combine = right.isComplement ? (left.isComplement ? either : leftOnly) : both
  const bits = left.bits.map((word, at) => combine(word, right.bits[at] ?? 0))
  return { bits, isComplement: left.isComplement }
}

const both = (left: number, right: number) => left & right
const either = (left: number, right: number) => left | right
const leftOnly = (left: number, right: number) => left & ~right

export const union = (left: NoteSet, right: NoteSet): NoteSet =>
  complementOf(intersection(complementOf(left), complementOf(right)))

/** Whether the note is in the set, if it is one of those that the set is about. */
export const isIn = ({ bits, isComplement }: NoteSet, pk: number): boolean =>
  (((bits[pk >>> 5] ?? 0) >>> (pk & 31)) & 1) === (isComplement ? 0 : 1)

/** How many bits are set: the size of a set that is no complement. */
export function countBits({ bits }: NoteSet): number {
  let count = 0
  for (let word of bits) {
    word -= (word >>> 1) & 0x55555555
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return count
}

/** The pks whose bits are set, ascending. */
export function pksOf({ bits }: NoteSet): number[] {
  const pks: number[] = []
  for (const [at, word] of bits.entries()) {
    for (let rest = word; rest !== 0; rest &= rest - 1) pks.push(at * 32 + 31 - Math.clz32(rest & -rest))
  }
  return pks
}
