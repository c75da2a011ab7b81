/** The value; blank if it is not finite. Zero has no sign. */
export const finite = (value: number): number | null => (Number.isFinite(value) ? value + 0 : null)

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/

/**
 * Rounds the decimal that JSON writes to a number of digits after the point, half away from zero: 1.005 to two digits
 * is 1.01. Negative digits round before the point.
 */
export function roundDecimal(value: number, digits: number): number | null {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(JSON.stringify(value)) ?? []
  const all = whole + fraction
  const dropped = fraction.length - Number(exponent) - digits
  if (dropped <= 0) return value
  if (dropped > all.length) return 0
  const kept = BigInt(all.slice(0, all.length - dropped) || '0')
  const isUp = Number(all[all.length - dropped]) >= 5
  return finite(Number(`${sign}${isUp ? kept + 1n : kept}e${-digits}`))
}

/** The remainder with the sign of the divisor; blank for a divisor of 0. */
export function modulo(value: number, divisor: number): number | null {
  const remainder = value % divisor
  const isOpposite = remainder !== 0 && remainder < 0 !== divisor < 0
  return finite(isOpposite ? remainder + divisor : remainder)
}
