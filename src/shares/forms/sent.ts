import { storableJson } from '../../http/storable-json.ts'
import { isObject } from '../../lib/json.ts'
import { invalid } from '../../refusal.ts'

/** A file that was chosen in a form. */
export interface SentFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** What was sent: by the page, texts and files by the names of its inputs; by a program, values by the keys of fields. */
export type Sent =
  | {
      readonly isJson: false
      readonly texts: ReadonlyMap<string, string>
      readonly files: ReadonlyMap<string, SentFile>
    }
  | { readonly isJson: true; readonly data: Readonly<Record<string, unknown>> }

/** Whether a request says that its body is JSON; any other is that of a page. */
export const sendsJson = ({ headers }: Request): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\b/i.test(headers.get('content-type') ?? '')

/** Whether its body may hold files. */
export const sendsFiles = ({ headers }: Request): boolean =>
  /^multipart\/form-data\b/i.test(headers.get('content-type') ?? '')

const isForm = (type: string): boolean =>
  /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type)

/** Takes a body apart. A name that a form sends twice counts once, with its last value. */
export function readSent(request: Request, bytes: Uint8Array): Promise<Sent> {
  return sendsJson(request) ? Promise.resolve(readJson(bytes)) : readForm(request, bytes)
}

function readJson(bytes: Uint8Array): Sent {
  const body = parsed(bytes)
  if (!isObject(body) || !isObject(body.data) || Object.keys(body).length !== 1)
    throw invalid('The body must be a JSON object with "data" alone: the values by the keys of the fields.')
  return { isJson: true, data: body.data }
}

function parsed(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes)
  return storableJson(text, 'The body')
}

async function readForm(request: Request, bytes: Uint8Array): Promise<Sent> {
  const type = request.headers.get('content-type') ?? ''
  if (!isForm(type)) throw invalid('A form, or a JSON object with "data", is required as the body.')
  const texts = new Map<string, string>()
  const files = new Map<string, SentFile>()
  let length = 0
  for (const [name, value] of await entriesOf(type, bytes)) {
    if (typeof value === 'string') length += name.length + value.length
    if (length > MAX_TEXT_LENGTH) throw invalid('The texts of the form are longer than 1 MiB; send less.')
    if (typeof value === 'string') texts.set(name, value.replaceAll('\r\n', '\n'))
    // A browser sends an empty file without a name where none was chosen.
    else if (value.name || value.size > 0)
      files.set(name, { name: value.name || 'file', bytes: new Uint8Array(await value.arrayBuffer()) })
  }
  return { isJson: false, texts, files }
}

/** Far more than a form of 100 fields sends. */
const MAX_PARTS = 300
const MAX_TEXT_LENGTH = 1024 * 1024

/** Refuses more parts than a form can have before they are taken apart: everybody waits for that. */
function checkParts(type: string, bytes: Uint8Array): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [, boundary] = /\bboundary="?([^";]+)/i.exec(type) ?? []
  const mark = boundary === undefined ? '&' : `--${boundary}`
  let parts = 0
  for (let at = buffer.indexOf(mark); at !== -1 && parts <= MAX_PARTS; at = buffer.indexOf(mark, at + 1))
    parts += 1
  if (parts > MAX_PARTS) throw invalid(`The form has more than ${MAX_PARTS} parts; send fewer.`)
}

async function entriesOf(type: string, bytes: Uint8Array): Promise<[string, string | File][]> {
  checkParts(type, bytes)
  try {
    const form = await new Response(new Uint8Array(bytes), { headers: { 'Content-Type': type } }).formData()
    return [...form.entries()] as [string, string | File][]
  } catch {
    throw invalid('The form is not well-formed; send it again.')
  }
}
