const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
)

const CLOCK =
  '(?:,? (?:at )?(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2}))?\\s?(?<half>[ap]\\.?m\\.?)?)?'
const MONTH = '(?<name>[a-z]{3,9})\\.?'
const DAY = '(?<day>\\d{1,2})(?:st|nd|rd|th)?'

/** `January 5, 2026` and `7 Mar 2026`, with or without a time: the order of their parts is clear. */
const PATTERNS = [
  new RegExp(`^${MONTH} ${DAY},? (?<year>\\d{4})${CLOCK}$`, 'i'),
  new RegExp(`^${DAY}\\.?[ -]${MONTH}[-, ]? ?(?<year>\\d{4})${CLOCK}$`, 'i'),
]

/** The parts of a date with an English name of a month, whole or of three letters. */
export function monthNameParts(cell: string): Record<string, string | undefined> | undefined {
  for (const pattern of PATTERNS) {
    const groups = pattern.exec(cell)?.groups
    if (!groups) continue
    const name = groups.name?.toLowerCase() ?? ''
    const month = MONTHS.findIndex((whole) => name === whole || name === whole.slice(0, 3))
    if (month >= 0) return { ...groups, month: String(month + 1) }
  }
  return undefined
}
