/** What a text is cut to before it is shown: more makes a browser slow. */
export const MOST_CHARACTERS = 500_000

const TEXTS = /^text\/|[/+](?:json|xml|yaml|toml|javascript|sql)$/
const DOCUMENTS = /^application\/(?:pdf|msword|vnd\.)/

/** Whether a file is text, by its kind, or, where that says nothing, because text was found in it. */
export const isText = ({
  mime_type,
  pages,
  status,
}: {
  mime_type: string
  pages: number | null
  status: string
}): boolean =>
  status !== 'failed' && (TEXTS.test(mime_type) || ((pages ?? 0) > 0 && !DOCUMENTS.test(mime_type)))

/** The encoding that the mark at the beginning names, else UTF-8 where it is valid, else that of old files of Windows. */
export function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
