/*
 * Exact sums of doubles, which depend only on the numbers and not on their order. Every finite double is a multiple
 * of 2^-1074, so 32-bit digits from there upwards hold any sum.
 */

const DIGIT_BITS = 32
/** Enough for 2^60 numbers of the greatest magnitude. */
const DIGITS = 68
const SMALLEST_EXPONENT = -1074
/** Keeps each digit below 2^53, the limit of exact integers in a double. */
const MOST_ADDED = 2 ** 20
/** More bits than a double has, so that the last one can stand for all bits below it. */
const KEPT_BITS = 64

export class ExactSum {
  readonly #double = new Float64Array(1)
  /** The two halves of the double, the lower one first. */
  readonly #halves = new Uint32Array(this.#double.buffer)
  readonly #digits = new Float64Array(DIGITS)
  #carried = 0n
  #added = 0
  /** The sum of the integers that a double adds exactly, in an eighth of the time. */
  #whole = 0

  /** Adds a finite number. */
  add(number: number): void {
    const whole = this.#whole + number
    if (Number.isSafeInteger(number) && Number.isSafeInteger(whole)) this.#whole = whole
    else this.#addDigits(number)
  }

  #addDigits(number: number): void {
    if (++this.#added > MOST_ADDED) this.#carry()
    this.#double[0] = number
    const low = this.#halves[0] ?? 0
    const high = this.#halves[1] ?? 0
    const exponent = (high >>> 20) & 0x7ff
    const top = (high & 0xfffff) | (exponent > 0 ? 0x100000 : 0)
    const shift = exponent > 0 ? exponent - 1 : 0
    const at = shift >>> 5
    const bits = shift & 31
    const sign = number < 0 ? -1 : 1
    const over = bits > 0 ? low >>> (DIGIT_BITS - bits) : 0
    this.#addDigit(at, sign * ((low << bits) >>> 0))
    this.#addDigit(at + 1, sign * (((top << bits) | over) >>> 0))
    if (bits > 0) this.#addDigit(at + 2, sign * (top >>> (DIGIT_BITS - bits)))
  }

  #addDigit(at: number, value: number): void {
    this.#digits[at] = (this.#digits[at] ?? 0) + value
  }

  #carry(): void {
    this.#carried += this.#unitsFrom(0)
    this.#digits.fill(0)
    this.#added = 0
  }

  /** The digits from this one upwards, as a multiple of its unit. */
  #unitsFrom(lowest: number): bigint {
    let units = 0n
    for (let at = lowest; at < DIGITS; at++) {
      const digit = this.#digits[at] ?? 0
      if (digit !== 0) units += BigInt(digit) << BigInt((at - lowest) * DIGIT_BITS)
    }
    return units
  }

  /** The sum, rounded once; infinite beyond the range of a double. */
  value(): number {
    this.#addDigits(this.#whole)
    this.#whole = 0
    // Few digits of a sum are set. Without those below them, the numbers are short.
    const lowest = this.#carried === 0n ? this.#digits.findIndex((digit) => digit !== 0) : 0
    if (lowest < 0) return 0
    const units = this.#carried + this.#unitsFrom(lowest)
    const exponent = lowest * DIGIT_BITS + SMALLEST_EXPONENT
    return units < 0n ? -rounded(-units, exponent) : rounded(units, exponent)
  }
}

/** The double nearest to this multiple of a power of two. */
function rounded(units: bigint, exponent: number): number {
  const shift = Math.max(0, units.toString(2).length - KEPT_BITS)
  const kept = units >> BigInt(shift)
  const isCut = kept << BigInt(shift) !== units
  return Number(isCut ? kept | 1n : kept) * 2 ** (shift + exponent)
}
