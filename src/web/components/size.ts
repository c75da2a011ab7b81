const UNITS = ['bytes', 'KB', 'MB'] as const

/** A size with its unit: "48 KB". */
export function sizeText(bytes: number): string {
  if (bytes === 1) return '1 byte'
  let size = bytes
  let unit = 0
  while (size >= 1_000 && unit < UNITS.length - 1) {
    size /= 1_000
    unit += 1
  }
  return `${unit > 0 && size < 10 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit]}`
}
