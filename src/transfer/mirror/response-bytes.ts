import { Refusal } from '../../lib/refusal.ts'

/**
 * The limit for a response held in memory, and for one line of a snapshot. The largest object, a note of 1,000,000
 * characters that are all escaped, takes a tenth of it.
 */
const MAX_MEBIBYTES = 64
const MAX_BYTES = MAX_MEBIBYTES * 1_048_576

/** The remote sent more than is ever read into memory. */
export class ResponseTooLarge extends Refusal {
  constructor(path: string) {
    const [plain] = path.split('?')
    super(
      'refused',
      `The remote sends more than ${MAX_MEBIBYTES} MiB at once at ${plain}, and no daybook does.`,
    )
  }
}

/** The whole response as text. */
export async function wholeText(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  path: string,
): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const bytes of chunks) {
    size += bytes.length
    if (size > MAX_BYTES) throw new ResponseTooLarge(path)
    text += decoder.decode(bytes, { stream: true })
  }
  return text
}

/** The lines of a response that end in a line break. */
export async function* linesIn(chunks: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let line = ''
  for await (const bytes of chunks) {
    const [end = '', ...others] = decoder.decode(bytes, { stream: true }).split('\n')
    line += end
    for (const next of others) {
      yield line
      line = next
    }
    if (line.length > MAX_BYTES) throw new ResponseTooLarge(path)
  }
}

const markerOf = (page: number) => `=== page ${page} ===\n`
const boundaryBefore = (page: number) => `\n\n${markerOf(page)}`

/**
 * The texts of the pages in a response that begins with page `first`; undefined if a page contains text that looks
 * like the beginning of another one.
 */
export function pagesIn(
  { pages, text }: { readonly pages: string; readonly text: string },
  first: number,
): string[] | undefined {
  const last = Number(pages.split('-')[1] ?? pages)
  const found: string[] = []
  let rest = text.slice(markerOf(first).length)
  for (let next = first + 1; next <= last; next++) {
    const boundary = boundaryBefore(next)
    const at = rest.indexOf(boundary)
    if (at === -1 || rest.indexOf(boundary, at + 1) !== -1) return undefined
    found.push(rest.slice(0, at))
    rest = rest.slice(at + boundary.length)
  }
  return [...found, rest]
}
