import { invalid } from './refusal.ts'

/** Far more than a form of 100 fields sends. */
const MAX_PARTS = 300

/**
 * The names and values of an HTML form in their original order; undefined for any other body. Parsing blocks all
 * requests, so a body with more parts than a form can have is refused first.
 */
export async function formEntries(
  contentType: string,
  bytes: Uint8Array,
): Promise<[name: string, value: string | File][] | undefined> {
  const kind = kindOf(contentType)
  if (!kind) return undefined
  checkParts(kind.mark, bytes)
  try {
    const headers = { 'Content-Type': kind.type }
    const form = await new Response(new Uint8Array(bytes), { headers }).formData()
    return [...form.entries()] as [string, string | File][]
  } catch {
    throw invalid('The form is not well-formed; send it again.')
  }
}

/**
 * The media type without the parameters that parsers interpret differently, and the separator before or after each
 * part.
 */
function kindOf(contentType: string): { type: string; mark: string } | undefined {
  const [, type = ''] =
    /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.exec(contentType) ?? []
  if (type === '') return undefined
  if (type.toLowerCase() === URL_ENCODED) return { type: URL_ENCODED, mark: '&' }
  const [, quoted, plain = ''] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  return { type: `multipart/form-data; boundary="${boundary}"`, mark: `--${boundary}` }
}

const URL_ENCODED = 'application/x-www-form-urlencoded'

function checkParts(mark: string, bytes: Uint8Array): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let parts = 0
  for (let at = buffer.indexOf(mark); at !== -1 && parts <= MAX_PARTS; at = buffer.indexOf(mark, at + 1))
    parts += 1
  if (parts > MAX_PARTS) throw invalid(`The form has more than ${MAX_PARTS} parts; send fewer.`)
}
