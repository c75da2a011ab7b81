import type { Token } from 'marked'
import { fileOfImage, labelOf, type WikiToken, walkTokens } from '../../../../lib/markdown.ts'

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

/** Whether a target is the id of the note, maybe with a heading. */
const isById = ({ note }: Outgoing, key: string): boolean => note !== null && note.id === key.split('#')[0]

/**
 * Finds for each target in a text where it leads. The server lists links without their targets, and many may have the
 * same label: so both lists are gone through in order.
 */
export function linksIn(tokens: Token[], outgoing: readonly Outgoing[]): Links {
  const links = new Map<string, NonNullable<Outgoing['note']>>()
  let at = 0
  walkTokens(tokens, (token) => {
    if (token.type !== 'wiki') return
    const link = token as unknown as WikiToken
    const key = keyOf(link.target)
    const label = labelOf(link)
    let found = at
    for (let one = outgoing[found]; one && one.text !== label && !isById(one, key); one = outgoing[found])
      found++
    if (found === outgoing.length) return
    at = found + 1
    const note = outgoing[found]?.note
    if (note) links.set(key, note)
  })
  return links
}

/** The address of a file of this workspace; anything else is no image that is shown. */
export const ownImage = (href: string): string | undefined =>
  fileOfImage(href) === undefined ? undefined : href
