import { Marked, type Token, type Tokens } from 'marked'

/** `[[target]]`, `[[target|label]]`, and with `!` before it the same embedded. */
export interface WikiToken {
  readonly type: 'wiki'
  readonly raw: string
  readonly isEmbed: boolean
  readonly target: string
  readonly label: string | undefined
}

/** Stands for the bar of a link while the text is taken apart: a bar would end a cell of a table. */
const BAR = '\uFDD0'
const WIKI = new RegExp(`^(!?)\\[\\[([^[\\]|${BAR}\\n]+)(?:${BAR}([^[\\]\\n]*))?\\]\\]`)
const LABELLED = /\[\[[^[\]|\n]+\|[^[\]\n]*\]\]/g

const marked = new Marked({
  gfm: true,
  extensions: [
    {
      name: 'wiki',
      level: 'inline',
      start: (source: string) => source.match(/!?\[\[/)?.index,
      tokenizer: (source: string): Tokens.Generic | undefined => {
        const match = WIKI.exec(source)
        return match
          ? {
              type: 'wiki',
              raw: match[0],
              isEmbed: match[1] === '!',
              target: match[2] ?? '',
              label: match[3],
            }
          : undefined
      },
    },
  ],
})

/** The Markdown of a note, taken apart. */
export function tokensOf(text: string): Token[] {
  const masked = text.replace(LABELLED, (link) => link.replace(/\\?\|/g, BAR))
  const tokens = marked.lexer(masked)
  if (masked === text) return tokens
  marked.walkTokens(tokens, (token) => {
    for (const [name, value] of Object.entries(token))
      if (typeof value === 'string' && value.includes(BAR))
        Object.assign(token, { [name]: value.replaceAll(BAR, '|') })
  })
  return tokens
}

const FILE_CONTENT = /^\/v1\/files\/([0-9a-f-]{36})\/content$/i

/** A link as the server lists it: in the order of the text, each occurrence. */
export interface Outgoing {
  /** What is shown: its label, else the title of a note that it names by its id, else its target. */
  readonly text: string
  readonly note: { readonly id: string; readonly title: string } | null
}

/** Where links between notes lead, by their targets in lower case. */
export type Links = ReadonlyMap<string, NonNullable<Outgoing['note']>>

/** What names a note in a link: ignoring case and blanks around it. */
export const keyOf = (target: string): string => target.trim().toLowerCase()

/** What a link shows that is not known to lead anywhere. */
export const labelOf = ({ label, target }: Pick<WikiToken, 'label' | 'target'>): string =>
  label === undefined || label.trim() === '' ? target : label

/**
 * Finds for each target in a text where it leads. The server lists links without their targets, and many may have the
 * same label: so both lists are gone through in order.
 */
export function linksIn(tokens: Token[], outgoing: readonly Outgoing[]): Links {
  const links = new Map<string, NonNullable<Outgoing['note']>>()
  let at = 0
  marked.walkTokens(tokens, (token) => {
    if (token.type !== 'wiki') return
    const link = token as unknown as WikiToken
    const key = keyOf(link.target)
    const label = labelOf(link)
    let found = at
    for (let one = outgoing[found]; one && one.text !== label && one.note?.id !== key; one = outgoing[found])
      found++
    if (found === outgoing.length) return
    at = found + 1
    const note = outgoing[found]?.note
    if (note) links.set(key, note)
  })
  return links
}

/** The address of a file of this workspace; anything else is no image that is shown. */
export const ownImage = (href: string): string | undefined => (FILE_CONTENT.test(href) ? href : undefined)

/** Only addresses of the web and of mail are links; `javascript:` and the like are text. */
export function safeLink(href: string): string | undefined {
  try {
    const { protocol, href: whole } = new URL(href)
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? whole : undefined
  } catch {
    return undefined
  }
}

/** The id in `file:<id>`, the target of a link to a file. */
export const fileIdOf = (target: string): string | undefined =>
  /^file:([0-9a-f-]{36})$/i.exec(target.trim())?.[1]
