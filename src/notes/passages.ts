import type { AppContext, Caller } from '../context.ts'
import { invalid, Refusal } from '../refusal.ts'
import { changeNote, checkedLength, getNoteIn } from './change.ts'
import { lastHeading } from './link-syntax.ts'
import type { NoteRow } from './store.ts'

/** How many line breaks the text ends in, blanks between them passed over. */
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

/**
 * The body with the text at its end: the old body is an exact prefix, one blank line separates, and
 * `## heading` stands above unless the last heading of the body is that one already.
 */
export function appended(body: string, text: string, heading?: string): string {
  const addition =
    heading === undefined || lastHeading(body) === heading.trim() ? text : `## ${heading}\n\n${text}`
  if (body === '') return addition
  return body + '\n'.repeat(Math.max(0, 2 - trailingLineBreaks(body))) + addition
}

/** Adds to the end of a note without the caller reading it first. */
export const appendToNote = (
  ctx: AppContext,
  caller: Caller,
  id: string,
  { text, heading }: { text: string; heading?: string },
): Promise<NoteRow> =>
  ctx.db.write((tx) => {
    const note = getNoteIn(tx, caller, id)
    const content = checkedLength(appended(note.content, text, heading))
    return changeNote(tx, caller, note, { title: note.title, content })
  })

/** How often a passage occurs; occurrences that overlap count each. */
function occurrences(body: string, passage: string): number {
  let found = 0
  for (let at = body.indexOf(passage); at !== -1; at = body.indexOf(passage, at + 1)) found += 1
  return found
}

/** The body with the one occurrence of `passage` replaced; refuses none and several. */
export function edited(body: string, passage: string, replacement: string): string {
  const at = body.indexOf(passage)
  if (at === -1) {
    throw new Refusal(
      'passage_not_found',
      'old_str does not occur in this note; send a passage exactly as it stands there.',
    )
  }
  if (body.indexOf(passage, at + 1) !== -1) {
    const times = occurrences(body, passage)
    throw new Refusal(
      'passage_not_unique',
      `old_str occurs ${times} times in this note; send a passage that occurs exactly once.`,
    )
  }
  return body.slice(0, at) + replacement + body.slice(at + passage.length)
}

/** Replaces one exact passage; the rest of the body stays byte for byte. */
export function editNote(
  ctx: AppContext,
  caller: Caller,
  id: string,
  { old_str: passage, new_str: replacement = '' }: { old_str: string; new_str?: string },
): Promise<NoteRow> {
  if (passage === '') throw invalid('"old_str" must not be empty; send the passage to replace.')
  return ctx.db.write((tx) => {
    const note = getNoteIn(tx, caller, id)
    const content = checkedLength(edited(note.content, passage, replacement))
    return changeNote(tx, caller, note, { title: note.title, content })
  })
}
