import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Document, Operation } from './openapi.ts'
import type { FuzzRequest } from './requests.ts'

export interface FuzzResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly durationMs: number
}

/** A violated promise; `kind` identifies it. */
export interface Violation {
  readonly kind: 'server-error' | 'status' | 'body' | 'error-body' | 'slow' | 'request-id' | 'no-response'
  readonly sentence: string
}

const MAX_RESPONSE_MS = 2_000
const JSON_TYPE = 'application/json'

const FORMATS = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
}

const pointer = (...segments: (string | number)[]) =>
  segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Validates responses against the server's own OpenAPI document. */
export class Oracle {
  readonly #ajv = new Ajv2020({ strict: false, formats: FORMATS })
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(document: Document) {
    this.#ajv.addSchema(document, 'document')
  }

  check(request: FuzzRequest, response: FuzzResponse): Violation | undefined {
    const { status, headers, durationMs } = response
    if (status >= 500) return { kind: 'server-error', sentence: `returned ${status}: ${response.text}` }
    if (durationMs > MAX_RESPONSE_MS) return { kind: 'slow', sentence: `took ${Math.round(durationMs)} ms` }
    if (!headers.get('x-request-id')) return { kind: 'request-id', sentence: 'has no X-Request-Id' }
    if (request.method === 'HEAD') return undefined
    if (reachesOperation(request)) return this.#checkResponse(request.operation, response)
    return status < 400 ? undefined : this.#checkError(response)
  }

  #checkResponse(operation: Operation, response: FuzzResponse): Violation | undefined {
    const { status } = response
    const declared = operation.responses[status]
    if (!declared) return { kind: 'status', sentence: `returned ${status}, which is not declared` }
    if (status >= 400) return this.#checkError(response)
    // Bytes have the type of their file; a 304 has that type and no bytes.
    if (status === 304 || declared.content?.['application/octet-stream']) return undefined
    const media = response.headers.get('content-type')?.split(';')[0] ?? 'nothing'
    if (!declared.content?.[media])
      return { kind: 'body', sentence: `returned ${media}, which is not declared` }
    if (media !== JSON_TYPE) return undefined
    const place = ['paths', operation.path, operation.method.toLowerCase(), 'responses', status]
    return this.#checkBody(pointer(...place, 'content', media, 'schema'), response.text, 'body')
  }

  #checkError(response: FuzzResponse): Violation | undefined {
    return this.#checkBody(pointer('components', 'schemas', 'Error'), response.text, 'error-body')
  }

  #checkBody(at: string, text: string, kind: 'body' | 'error-body'): Violation | undefined {
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      return { kind, sentence: `returned what is not JSON: ${text.slice(0, 200)}` }
    }
    const validate = this.#validators.get(at) ?? this.#ajv.compile({ $ref: `document#${encodeURI(at)}` })
    this.#validators.set(at, validate)
    if (validate(body)) return undefined
    const [first] = validate.errors ?? []
    return {
      kind,
      sentence: `returned a body whose ${first?.instancePath || 'whole'} ${first?.message}: ${text.slice(0, 500)}`,
    }
  }
}

/**
 * Whether the request reaches the operation it was generated for: an unusual value may change its path to another one.
 */
function reachesOperation({ operation, method, target }: FuzzRequest): boolean {
  const path = target.split('?', 1)[0] ?? ''
  const pattern = operation.path.replace(/\{\w+\}/g, '[^/]+')
  return (
    method === operation.method &&
    new RegExp(`^${pattern}$`).test(path) &&
    !/%(?![0-9a-f]{2})|\/\.|#/i.test(path)
  )
}
