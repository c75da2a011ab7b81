import { proseIn } from '../../lib/markdown-comments.ts'
import { fileIdOf, fileOfImage } from '../../lib/markdown-links.ts'
import { invalid } from '../../lib/refusal.ts'

/** Links to files, and addresses of files in pictures and link definitions. */
const FILE_LINKS =
  /\[\[\s*(file:[0-9a-f-]{36})\s*(?:\\?\||\]\])|\](?:\(|:)\s*<?(\/v1\/files\/[0-9a-f-]{36}\/content)/gi

/** The ids of files that a text names outside code and comments, where readers see them, with the links as written. */
export function filesNamedIn(content: string): Map<string, string> {
  const named = new Map<string, string>()
  for (const text of proseIn(content))
    for (const [, link, image = ''] of text.matchAll(FILE_LINKS)) {
      const file = link === undefined ? fileOfImage(image) : fileIdOf(link)
      if (file !== undefined) named.set(file.toLowerCase(), link ?? image)
    }
  return named
}

/**
 * Refuses a text that names additional files, if the caller has no access to files. A share of the note would expose
 * them.
 */
export function refuseNewFileLinks(content: string, before = ''): void {
  const known = filesNamedIn(before)
  for (const [file, link] of filesNamedIn(content))
    if (!known.has(file))
      throw invalid(`The link "${link}" names a file, and you have no access to files; leave it out.`)
}
