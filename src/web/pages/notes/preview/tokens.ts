import { fileOfImage } from '../../../../lib/markdown-links.ts'

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

/** The address of a file of this workspace; anything else is no image that is shown. */
export const ownImage = (href: string): string | undefined =>
  fileOfImage(href) === undefined ? undefined : href
