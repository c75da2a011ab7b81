import { invalid } from '../refusal.ts'

const MAX_HEADERS = 10
const MAX_VALUE_LENGTH = 4_096
/** What is shown instead of every value. */
export const MASK = '…'

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
/** Printable ASCII, with spaces or tabs only inside. */
const VALUE = /^[!-~](?:[\t -~]*[!-~])?$/

/** What HTTP itself, or the service, says in each delivery. */
const RESERVED = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
])
const RESERVED_PREFIXES = ['x-service-', 'webhook-']

function nameError(name: string): string | undefined {
  if (!NAME.test(name)) return `"headers" has "${name}", which is not the name of a header.`
  const lower = name.toLowerCase()
  const isReserved = RESERVED.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix))
  return isReserved ? `"headers" must not have "${name}", which the service sets itself.` : undefined
}

/** The sentences never repeat a value, which may be a credential. */
function valueError(name: string, value: unknown): string | undefined {
  if (value === MASK)
    return `"headers.${name}" is the mask that stands for a value; send the value itself, or leave "headers" out.`
  if (typeof value === 'string' && value.length <= MAX_VALUE_LENGTH && VALUE.test(value)) return undefined
  return `"headers.${name}" must be a text of 1 to 4,096 printable ASCII characters without spaces around it.`
}

/** The column for the headers that a subscriber gives; null and `{}` are none. */
export function checkedHeaders(headers: Record<string, unknown> | null): string | null {
  const entries = Object.entries(headers ?? {})
  if (entries.length === 0) return null
  if (entries.length > MAX_HEADERS) throw invalid(`"headers" must have at most ${MAX_HEADERS} members.`)
  const names = new Set<string>()
  for (const [name, value] of entries) {
    const error = nameError(name) ?? valueError(name, value)
    if (error !== undefined) throw invalid(error)
    if (names.has(name.toLowerCase())) throw invalid(`"headers" names "${name}" twice; name each once.`)
    names.add(name.toLowerCase())
  }
  return JSON.stringify(headers)
}

/** The headers as they are shown: every name, and no value. */
export const maskedHeaders = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]))
