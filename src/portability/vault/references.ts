import { fold } from '../../lib/text.ts'
import type { Passage } from '../../notes/links/syntax.ts'

/** `[label]: target "title"` on a line of its own, in a quotation too. A label that begins with `^` is a footnote's. */
const DEFINITION =
  /^[ >]{0,8}\[((?!\^)(?:[^[\]\\]|\\.){1,999})\]:[ \t]{0,8}(?:<([^<>]*)>|([^\s<]\S*))(?:[ \t]{1,8}(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/
/** `[text][label]`, `[label][]` or `[label]`, but no link of another kind and no part of one. */
const REFERENCE = /(?<![[\]\\])\[((?:[^[\]\\]|\\.)*)\](?:\[((?:[^[\]\\]|\\.)*)\]|(?![[(]))/g
/** Code in a label is words there; the signs that stand for it are no label. */
const CODE = '\0'

/** A link that names a definition, and what that says. */
export interface Reference {
  /** Where in the line it stands. */
  readonly start: number
  readonly length: number
  /** How long the text is that it shows, from the first bracket. */
  readonly textLength: number
  readonly target: string
}

/** Labels are compared ignoring case and how much space they hold (CommonMark). */
const keyOf = (label: string): string => fold(label).trim().replace(/\s+/g, ' ')

/** The links by reference of a body. Of two definitions of one label the first counts. */
export class References {
  readonly #targets = new Map<string, string>()

  constructor(body: string, lines: readonly Passage[]) {
    if (!body.includes(']:')) return
    for (const { text } of lines) {
      const [, label, bracketed, bare = ''] = DEFINITION.exec(text) ?? []
      if (label === undefined || label.includes(CODE)) continue
      const key = keyOf(label)
      if (!this.#targets.has(key)) this.#targets.set(key, bracketed ?? bare)
    }
  }

  *in(line: string): Generator<Reference> {
    if (this.#targets.size === 0 || DEFINITION.test(line)) return
    for (const { 0: whole, 1: text = '', 2: label, index } of line.matchAll(REFERENCE)) {
      const target = this.#targets.get(keyOf(label || text))
      if (target === undefined) continue
      yield { start: index, length: whole.length, textLength: text.length, target }
    }
  }
}
