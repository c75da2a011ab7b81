import { Marked, type Token, type Tokens } from 'marked'

/** `[[target]]`, `[[target|label]]`, and with `!` before it the same embedded. */
export interface WikiToken {
  readonly type: 'wiki'
  readonly raw: string
  readonly isEmbed: boolean
  readonly target: string
  readonly label: string | undefined
}

const WIKI = /^(!?)\[\[([^[\]|\n]+)(?:\|([^[\]\n]*))?\]\]/

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
export const tokensOf = (text: string): Token[] => marked.lexer(text)

const FILE_CONTENT = /^\/v1\/files\/([0-9a-f-]{36})\/content$/i

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
