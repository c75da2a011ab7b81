import { folderOf } from '../../../lib/paths.ts'
import { codePointLength, normalized } from '../../../lib/text.ts'
import type { TextSpan } from '../../../notes/links/syntax.ts'
import type { VaultNote } from './note.ts'
import { paragraphsOf } from './prose.ts'

const MAX_TAG_LENGTH = 100

/** Takes a sentence about something that is stored differently from how the file has it. */
export type Remark = (what: string) => void

/** A word as the name of a tag, without the hash; undefined when the name would be empty or too long. */
export function tagNameOf(word: string): string | undefined {
  const name = normalized(word, 'NFC')
    .replace(/^#+/, '')
    .replace(/(?<!\/)\/+$/, '')
    .replace(/[,\p{Cc}]/gu, ' ')
    .trim()
  return name === '' || codePointLength(name) > MAX_TAG_LENGTH ? undefined : name
}

const WORD = '#[\\p{L}\\p{M}\\p{N}\\p{Extended_Pictographic}\\p{Join_Control}_/-]+'
/** One tag, or several without a blank between them. */
const INLINE_TAGS = new RegExp(`(?<=^|\\s)(?:${WORD})+`, 'gmu')
/** `#1984` is a number, not a tag. */
const NOT_A_NUMBER = /[^#\p{N}/_]/u
/** `_Issue #work_`: the last sign ends the emphasis. */
const OPEN_EMPHASIS = /(?:^|[\s\p{P}])__?(?=[^\s_])[^_\n]*$/u

/** Six or eight digits of which not all are letters, `#fff`, and any form where a colour is expected. */
const LONG_COLOUR = /^#(?=.*\d)(?:[\da-f]{6}|[\da-f]{8})$/i
const GREY = /^#([\da-f])\1{2}(?:\1{3})?$/i
const ANY_COLOUR = /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i
const STYLE = /(?:colou?r|background|border|fill|stroke|shadow|outline)[\w-]{0,20}["']?\s{0,3}[:=]\s{0,3}$/i
const CONTEXT_LENGTH = 200

function isColour(word: string, before: string): boolean {
  if (LONG_COLOUR.test(word) || GREY.test(word)) return true
  return ANY_COLOUR.test(word) && STYLE.test(before)
}

/** The tags in the text of a paragraph: `#word`, `#word/subword`. */
function* inlineTags(text: string): Generator<string> {
  if (!text.includes('#')) return
  for (const { 0: words, index } of text.matchAll(INLINE_TAGS)) {
    const before = text.slice(Math.max(0, index - CONTEXT_LENGTH), index)
    for (const [written] of words.matchAll(/#[^#]+/g)) {
      const word =
        written.endsWith('_') && OPEN_EMPHASIS.test(before) ? written.replace(/(?<!_)_+$/, '') : written
      if (!NOT_A_NUMBER.test(word) || isColour(word, before)) break
      yield word
    }
  }
}

/** The words with a `#` that Obsidian shows as tags in a body. `lines` are the lines outside code. */
export function* bodyTags(lines: readonly TextSpan[]): Generator<string> {
  for (const paragraph of paragraphsOf(lines)) yield* inlineTags(paragraph)
}

/** The names of the tags of a note: those of its front matter, its body and, if wanted, its folder. */
export function tagNamesOf(
  { tags, file: { path } }: VaultNote,
  lines: readonly TextSpan[],
  foldersAsTags: boolean,
  remark: Remark,
): string[] {
  const words = new Set(tags)
  for (const word of bodyTags(lines)) words.add(word)
  if (foldersAsTags) words.add(folderOf(path))
  return [...words].flatMap((word) => {
    const name = tagNameOf(word)
    if (name === undefined && word.trim() !== '')
      remark(`the tag "${word}" is left out; a tag has 1 to ${MAX_TAG_LENGTH} characters.`)
    return name ?? []
  })
}
