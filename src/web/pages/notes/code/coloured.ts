import { HighlightStyle } from '@codemirror/language'
import { highlightCode } from '@lezer/highlight'
import { languageNamed } from './languages.ts'
import { codeStyles } from './styles.ts'

const style = HighlightStyle.define(codeStyles)

/** A piece of code and its CSS classes, possibly empty. */
export interface ColouredPart {
  readonly text: string
  readonly look: string
}

/** Splits code by its syntax; undefined for an unknown language. */
export async function colouredCode(code: string, info: string): Promise<ColouredPart[] | undefined> {
  const language = await languageNamed(info)
  if (!language) return undefined
  const parts: ColouredPart[] = []
  highlightCode(
    code,
    language.parser.parse(code),
    style,
    (text, look) => parts.push({ text, look }),
    () => parts.push({ text: '\n', look: '' }),
  )
  return parts
}
