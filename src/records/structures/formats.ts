import { atPlace, refused } from '../../lib/refusal.ts'

/* Formats of fields. They change how clients show a value, never the stored one. */

const NUMBER_STYLES = ['plain', 'grouped', 'percent', 'currency'] as const
const TEXT_STYLES = ['url', 'email', 'phone', 'long'] as const
export const FORMAT_STYLES = [...NUMBER_STYLES, ...TEXT_STYLES] as const
export type FormatStyle = (typeof FORMAT_STYLES)[number]

/** `decimals` is the number of digits after the decimal point; `currency` an ISO 4217 code. */
export interface FieldFormat {
  readonly style: FormatStyle
  readonly decimals?: number
  readonly currency?: string
}

const STYLES_OF: Readonly<Record<string, readonly FormatStyle[]>> = {
  number: NUMBER_STYLES,
  text: TEXT_STYLES,
}

/** The format with its members in order; refuses one that the type does not have. `at` is the index of the field. */
export function checkedFormat(
  type: string,
  { style, decimals, currency }: FieldFormat,
  at: number,
): FieldFormat {
  const place = `fields[${at}].format`
  const styles = STYLES_OF[type]
  if (styles === undefined)
    throw refused(
      `"${place}" belongs to a field of type "number" or "text", and this one is "${type}".`,
      atPlace(place),
    )
  if (!styles.includes(style))
    throw refused(
      `"${place}.style" must be one of ${styles.join(', ')} for a field of type "${type}".`,
      atPlace(`${place}.style`),
    )
  if (decimals !== undefined && type !== 'number')
    throw refused(
      `"${place}.decimals" belongs to a field of type "number"; leave it out.`,
      atPlace(`${place}.decimals`),
    )
  if ((currency === undefined) === (style === 'currency'))
    throw refused(
      style === 'currency'
        ? `"${place}.currency" is required with the style "currency", such as "EUR".`
        : `"${place}.currency" belongs to the style "currency"; leave it out.`,
      atPlace(`${place}.currency`),
    )
  return { style, ...(decimals !== undefined && { decimals }), ...(currency !== undefined && { currency }) }
}

/** The valid addresses of `<input type="email">` in HTML. */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

function isWebAddress(text: string): boolean {
  const protocol = URL.parse(text)?.protocol
  return protocol === 'http:' || protocol === 'https:'
}

const CHECKS: Partial<Record<FormatStyle, { fits(text: string): boolean; readonly words: string }>> = {
  url: { fits: isWebAddress, words: 'a web address, such as https://example.com' },
  email: { fits: (text) => EMAIL.test(text), words: 'an email address, such as ada@example.com' },
}

/** Completes "must be …" for a text that violates the format; undefined if it fits. */
export function violatedFormat({ style }: FieldFormat, value: unknown): string | undefined {
  const check = CHECKS[style]
  return check === undefined || check.fits(String(value)) ? undefined : check.words
}
