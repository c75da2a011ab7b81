/** In English, German, French, Spanish, Italian, Portuguese and Dutch. */
const MONTHS = [
  'january february march april may june july august september october november december',
  'januar februar marz april mai juni juli august september oktober november dezember',
  'janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre',
  'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
  'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
  'janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro',
  'januari februari maart april mei juni juli augustus september oktober november december',
].map((names) => names.split(' '))

/** The numbers of months by name, without accents, and by abbreviations of one month alone. */
const NUMBERS = new Map<string, number>()
const AMBIGUOUS = new Set<string>()
for (const names of MONTHS)
  for (const [at, name] of names.entries())
    for (const word of [name, name.slice(0, 4), name.slice(0, 3)]) {
      const known = NUMBERS.get(word)
      if (known !== undefined && known !== at + 1) AMBIGUOUS.add(word)
      NUMBERS.set(word, at + 1)
    }
NUMBERS.set('mrt', 3)

function monthOf(name: string): number | undefined {
  const word = name.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')
  return AMBIGUOUS.has(word) ? undefined : NUMBERS.get(word)
}

const CLOCK =
  '(?:,? (?:at )?(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2}))?\\s?(?<half>[ap]\\.?m\\.?)?)?'
const MONTH = '(?<name>[\\p{L}\\p{M}]{3,12})\\.?'
const DAY = '(?<day>\\d{1,2})(?:st|nd|rd|th|er|º)?'

/** `January 5, 2026`, `7 Mar 2026` and `3 de enero de 2026`, with or without a time: the order of their parts is clear. */
const PATTERNS = [
  new RegExp(`^${MONTH} ${DAY},? (?<year>\\d{4})${CLOCK}$`, 'iu'),
  new RegExp(`^${DAY}\\.?[ -](?:de )?${MONTH}[-, ]? ?(?:de )?(?<year>\\d{4})${CLOCK}$`, 'iu'),
]

/** The parts of a date with the name of a month, whole or of three or four letters. */
export function monthNameParts(cell: string): Record<string, string | undefined> | undefined {
  for (const pattern of PATTERNS) {
    const groups = pattern.exec(cell)?.groups
    if (!groups) continue
    const month = monthOf(groups.name ?? '')
    if (month !== undefined) return { ...groups, month: String(month) }
  }
  return undefined
}
