import { language } from '../formats.ts'
import { preferences } from '../preferences.ts'
import { decimalSign, readDay, readMoment, readNumber, readTime, type TypedContext } from '../typed-values.ts'
import { weekStart } from '../value-formats.ts'

/** The words, the order and the signs of the user's preferences. */
export const typedContext = (): TypedContext => ({
  dates: language(),
  numbers: preferences.value.numbers,
  weekStart: weekStart(),
  now: new Date(),
})

/** Editable text with the decimal sign of the user's language. */
export const typedText = (type: string, text: string): string =>
  type === 'number' ? text.replace('.', decimalSign(preferences.value.numbers)) : text

const READERS: Readonly<Record<string, (typed: string, context: TypedContext) => string | undefined>> = {
  number: (typed, context) => readNumber(typed, context)?.toString(),
  date: readDay,
  time: readTime,
  datetime: (typed, context) => readMoment(typed, context)?.replace(' ', 'T'),
}

/** Typed text as the text of a value. A text that cannot be read stays as it is, and is then refused. */
export const readTyped = (type: string, typed: string): string =>
  READERS[type]?.(typed, typedContext()) ?? typed
