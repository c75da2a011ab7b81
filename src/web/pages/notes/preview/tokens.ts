import { fileOfImage } from '../../../../lib/markdown-links.ts'

/** A link as listed by the server: every occurrence, in text order. */
export interface Outgoing {
  /** The visible text: its label, else the title of a note linked by id, else its target. */
  readonly text: string
  readonly note: { readonly id: string; readonly title: string } | null
}

/** Link targets by `keyOf`. */
export type Links = ReadonlyMap<string, NonNullable<Outgoing['note']>>

/** Normalizes a link target: trimmed and in lower case. */
export const keyOf = (target: string): string => target.trim().toLowerCase()

/** The address if it is a file of this workspace; other images are not displayed. */
export const ownImage = (href: string): string | undefined =>
  fileOfImage(href) === undefined ? undefined : href
