import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../context.ts'
import { namingPlace, Refusal } from '../../lib/refusal.ts'
import { lastHeading } from '../../lib/wiki-links.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { checkedLength } from '../content-length.ts'
import type { AppendBody, EditBody } from '../schema.ts'
import type { NoteRow } from '../store.ts'
import { changeText } from './update.ts'

/** The number of line breaks at the end of the text, ignoring blanks between them. */
function trailingLineBreaks(text: string): number {
  let breaks = 0
  for (let at = text.length - 1; at >= 0; at--) {
    const character = text[at]
    if (character === '\n') {
      breaks += 1
      if (text[at - 1] === '\r') at -= 1
    } else if (character === '\r') breaks += 1
    else if (character !== ' ' && character !== '\t') break
  }
  return breaks
}

/** The line breaks to append to a body so that its last line ends and a blank line follows. */
function missingLineBreaks(body: string): string {
  if (body === '') return ''
  const lastLineIsOpen = !/[\r\n]$/.test(body)
  const missing = Math.max(lastLineIsOpen ? 1 : 0, 2 - trailingLineBreaks(body))
  // After a "\r" the first "\n" only completes "\r\n".
  const completes = missing > 0 && body.endsWith('\r') ? 1 : 0
  return '\n'.repeat(missing + completes)
}

/**
 * The body with the text appended after a blank line; the old body is an exact prefix. `## heading` comes first, unless
 * it already is the last heading of the body.
 */
export function appended(body: string, text: string, heading?: string): string {
  const above = heading === undefined ? undefined : `## ${heading}`
  const isThere = above === undefined || lastHeading(body) === lastHeading(above)
  return body + missingLineBreaks(body) + (isThere ? text : `${above}\n\n${text}`)
}

export function appendText(
  tx: Tx,
  caller: Caller,
  note: NoteRow,
  { text, heading }: Static<typeof AppendBody>,
): NoteRow {
  const content = checkedLength(appended(note.content, text, heading))
  return changeText(tx, caller, note, { title: note.title, content })
}

/** The failure function of Knuth, Morris and Pratt: for each prefix of the passage, the length of its longest border. */
function bordersOf(passage: string): Int32Array {
  const borders = new Int32Array(passage.length)
  let matched = 0
  for (let at = 1; at < passage.length; at++) {
    const unit = passage.charCodeAt(at)
    while (matched > 0 && unit !== passage.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
    if (unit === passage.charCodeAt(matched)) matched += 1
    borders[at] = matched
  }
  return borders
}

interface Occurrences {
  readonly times: number
  readonly first: number
}

/**
 * The number of occurrences of a passage, including overlapping ones, and the first position. Takes linear time for any
 * texts. `indexOf` would take minutes for a long passage that nearly repeats itself.
 */
function occurrences(body: string, passage: string): Occurrences {
  const borders = bordersOf(passage)
  let times = 0
  let first = -1
  let matched = 0
  for (let at = 0; at < body.length; at++) {
    const unit = body.charCodeAt(at)
    while (matched > 0 && unit !== passage.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
    if (unit === passage.charCodeAt(matched)) matched += 1
    if (matched < passage.length) continue
    times += 1
    if (first === -1) first = at - passage.length + 1
    matched = borders[matched - 1] ?? 0
  }
  return { times, first }
}

/** The body with the only occurrence of `passage` replaced; refuses any other number of occurrences. */
export function edited(body: string, passage: string, replacement: string): string {
  const { times, first } = occurrences(body, passage)
  if (times === 0) {
    throw new Refusal(
      'passage_not_found',
      'old_str does not occur in this note; send a passage exactly as it stands there.',
    )
  }
  if (times > 1) {
    throw new Refusal(
      'passage_not_unique',
      `old_str occurs ${times} times in this note; send a passage that occurs exactly once.`,
    )
  }
  return body.slice(0, first) + replacement + body.slice(first + passage.length)
}

/**
 * Replaces exact passages of a note, each in the text that the previous replacement left; the rest stays byte for byte.
 * The refusal of one of several passages names it by its number, counted from 1.
 */
export function editPassages(
  tx: Tx,
  caller: Caller,
  note: NoteRow,
  edits: readonly Static<typeof EditBody>[],
): NoteRow {
  const content = edits.reduce(
    (body, { old_str, new_str = '' }, at) =>
      edits.length === 1
        ? edited(body, old_str, new_str)
        : namingPlace(`Edit ${at + 1}`, `edits[${at}]`, () => edited(body, old_str, new_str)),
    note.content,
  )
  return changeText(tx, caller, note, { title: note.title, content: checkedLength(content) })
}
