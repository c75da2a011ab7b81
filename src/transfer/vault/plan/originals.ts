import type { MarkedEncoding } from '../../../lib/decoders.ts'

/** A link that an import rewrote. */
export interface OriginalLink {
  /** Its offset in the body that the import wrote. */
  readonly start: number
  /** The rewritten link with the comment that belongs to it. */
  readonly written: string
  /** The link in the file. */
  readonly original: string
}

/** The parts of an imported file that its note does not hold, so that an export can write the file back. */
export interface Original {
  /** The text before the body: the front matter with its fences, or nothing. */
  readonly front: string
  /** In the order of the body. */
  readonly links: readonly OriginalLink[]
  /** The encoding that the byte order mark names; absent for UTF-8 without one. */
  readonly mark?: MarkedEncoding
  /** The title that the name of the file gives, if it is not the name itself. */
  readonly fileTitle?: string
}

/** Whether the links follow each other in the body, where each one is written. */
export function areLinksOf(body: string, links: Original['links']): boolean {
  let end = 0
  return links.every(({ start, written }) => {
    const fits = start >= end && body.startsWith(written, start)
    end = start + written.length
    return fits
  })
}

/** Puts the original links back into the body that an import wrote. */
export function originalBody(body: string, links: Original['links']): string {
  let result = ''
  let at = 0
  for (const { start, written, original } of links) {
    result += body.slice(at, start) + original
    at = start + written.length
  }
  return result + body.slice(at)
}

/** Finds the original of a link in the present body of an imported note. */
export class OriginalLinks {
  readonly #byStart = new Map<number, OriginalLink>()
  /** In a body that was edited, links are found by their text, repeated ones in their order. */
  readonly #byText = new Map<string, string[]>()

  /** `isUnchanged`: whether the body is the one that the import wrote. */
  constructor(
    links: Original['links'],
    private readonly isUnchanged: boolean,
  ) {
    for (const link of links) {
      this.#byStart.set(link.start, link)
      const same = this.#byText.get(link.written)
      if (same) same.push(link.original)
      else this.#byText.set(link.written, [link.original])
    }
  }

  /**
   * The link as it stands in the file, for the link `written` at `start`. Undefined in an edited body for a link that
   * the import did not rewrite.
   */
  find(start: number, written: string): string | undefined {
    if (this.isUnchanged) {
      const known = this.#byStart.get(start)
      return known?.written === written ? known.original : written
    }
    const originals = this.#byText.get(written)
    return originals && originals.length > 1 ? originals.shift() : originals?.[0]
  }
}
