/** Longer texts are cut: they make browsers slow. */
export const MAX_CHARACTERS = 500_000

const TEXTS = /^text\/|[/+](?:json|xml|yaml|toml|javascript|sql)$/
const DOCUMENTS = /^application\/(?:pdf|msword|vnd\.)/

/** Whether a file is plain text: by its type, else because the server extracted text from it. */
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

/** Decodes a text by its byte order mark, else as UTF-8 if valid, else as windows-1252 (old Windows files). */
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
