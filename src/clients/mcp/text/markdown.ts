import { withCommas } from '../../../lib/text.ts'
import { shorten } from './fit.ts'

/** The texts that are present, in order. */
export const given = (...texts: readonly (string | false | undefined | readonly string[])[]): string[] =>
  texts.flat().filter((text) => typeof text === 'string')

/** The last line of a list that shows only some of its items. */
export const andMore = (shown: number, all: number, noun = ''): string | false =>
  shown < all && `and ${all - shown} more${noun}`

/** A value as one line of text; line breaks are written `\n`. */
export function inline(value: unknown, cut = Number.POSITIVE_INFINITY): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return shorten(text, cut).replaceAll('\r', '\\r').replaceAll('\n', '\\n')
}

const cell = (value: unknown, cut: number) => inline(value, cut).replaceAll('|', '\\|')

/** A compact table: no padding, and empty cells for missing values. */
export function table(
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
  cut = Number.POSITIVE_INFINITY,
): string {
  const line = (cells: readonly string[]) => `|${cells.join('|')}|`
  return [
    line(columns),
    line(columns.map(() => '-')),
    ...rows.map((row) => line(row.map((value) => cell(value, cut)))),
  ].join('\n')
}

const ENTITIES: Record<string, string> = {
  '<mark>': '**',
  '</mark>': '**',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

/** Converts a snippet, which is HTML with hits in `<mark>`, to Markdown. */
export const snippetText = (html: string): string =>
  inline(html.replace(/<\/?mark>|&(?:lt|gt|quot|#39|amp);/g, (found) => ENTITIES[found] ?? found))

export const count = (number: number, noun: string): string =>
  `${withCommas(number)} ${number === 1 ? noun : `${noun}s`}`

/** The first line of a page of a list: the range shown and the total. */
export function pageLine(
  noun: string,
  { offset, shown, total }: { offset: number; shown: number; total: number },
) {
  if (shown === 0)
    return total === 0 ? `No ${noun}s.` : `${count(total, noun)}; none from offset ${offset} on.`
  const more = offset + shown < total ? `; go on with offset ${offset + shown}` : ''
  return shown === total
    ? `${count(total, noun)}:`
    : `${noun}s ${offset + 1}–${offset + shown} of ${total}${more}:`
}

/** States the transaction of a write in its result, or why there is none. */
export function writtenAs(transaction: string | null, isDryRun = false): string {
  if (isDryRun) return 'nothing was written: this was a dry run'
  return transaction === null ? 'nothing changed' : `transaction ${transaction}`
}
