/* The meaning of Markdown links and pictures, without loading a Markdown parser. */

/** `[[target]]` or `[[target|label]]`; with a preceding `!` it is embedded. */
export interface WikiToken {
  readonly type: 'wiki'
  readonly raw: string
  readonly isEmbed: boolean
  readonly target: string
  readonly label: string | undefined
}

/** The text of a link: its label, or else its target. */
export const labelOf = ({ label, target }: Pick<WikiToken, 'label' | 'target'>): string =>
  label === undefined || label.trim() === '' ? target : label

const FILE_CONTENT = /^\/v1\/files\/([0-9a-f-]{36})\/content$/i

/** The id of the file whose address this is. Images from other origins are not shown. */
export const fileOfImage = (href: string): string | undefined => FILE_CONTENT.exec(href)?.[1]

/** Allows web and mail addresses only; `javascript:` and the like remain text. */
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

const IMAGE_NAME = /\.(png|jpe?g|gif|webp|avif|svg)$/i

/** Whether a link to a file is shown inline: an embedded link, or one whose label is the name of a picture. */
export const isShownInPlace = (token: WikiToken): boolean => token.isEmbed || IMAGE_NAME.test(labelOf(token))

/** A picture that replaces a link to a file. */
export interface Picture {
  readonly alt: string
  /** In pixels. */
  readonly width: number | undefined
  readonly height: number | undefined
}

const SIZE = /^(\d{1,5})(?:x(\d{1,5}))?$/

/** Parses `![[file:<id>|name|caption|300x200]]`; caption and size are optional. */
export function pictureIn(token: WikiToken): Picture {
  const [name = '', ...more] = labelOf(token).split('|')
  const [size, width, height] = SIZE.exec(more.at(-1)?.trim() ?? '') ?? []
  const caption = (size === undefined ? more : more.slice(0, -1)).join('|').trim()
  const pixels = (text: string | undefined) => (text === undefined ? undefined : Number(text))
  return { alt: caption === '' ? name : caption, width: pixels(width), height: pixels(height) }
}
