import { CONSTANTS, FUNCTIONS } from './functions.ts'

/** The texts that may replace the characters from `from` to the caret. */
export interface Completion {
  readonly from: number
  readonly texts: readonly string[]
}

const MAX_TEXTS = 8
const FIELD = /\{([a-z0-9_]*)$/
const NAME = /(?<![A-Za-z])[A-Za-z]+$/

/** The names that begin with the word before the caret: fields after a brace, else functions and constants. */
export function completionsAt(
  expression: string,
  caret: number,
  keys: readonly string[],
): Completion | undefined {
  const before = expression.slice(0, caret)
  const isInText = (before.split('"').length - 1) % 2 === 1
  if (isInText) return undefined
  const field = FIELD.exec(before)
  if (field) {
    const [, word = ''] = field
    const texts = keys.filter((key) => key.startsWith(word)).map((key) => `{${key}}`)
    return { from: field.index, texts: texts.slice(0, MAX_TEXTS) }
  }
  const name = NAME.exec(before)
  if (!name) return undefined
  const word = name[0].toUpperCase()
  const functions = Object.keys(FUNCTIONS).map((known) => `${known}(`)
  const texts = [...functions, ...CONSTANTS.keys()].filter((known) => known.startsWith(word))
  return { from: name.index, texts: texts.slice(0, MAX_TEXTS) }
}
