import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Document, Operation } from './document.ts'
import type { Sent } from './requests.ts'

/** What the server made of a request. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly durationMs: number
}

/** A promise that an answer broke; `kind` is the same for the same promise. */
export interface Fault {
  readonly kind: 'fails' | 'status' | 'form' | 'error' | 'slow' | 'id' | 'silent'
  readonly sentence: string
}

const SLOW_MS = 2_000
const STREAM = 'text/event-stream'

const FORMATS = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
}

const pointer = (...segments: (string | number)[]) =>
  segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Holds answers against the document that the server gave of itself. */
export class Judge {
  readonly #ajv = new Ajv2020({ strict: false, formats: FORMATS })
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(document: Document) {
    this.#ajv.addSchema(document, 'document')
  }

  faultOf(sent: Sent, received: Received): Fault | undefined {
    const { status, headers, durationMs } = received
    if (status >= 500) return { kind: 'fails', sentence: `answered ${status}: ${received.text}` }
    if (durationMs > SLOW_MS) return { kind: 'slow', sentence: `took ${Math.round(durationMs)} ms` }
    if (!headers.get('x-request-id')) return { kind: 'id', sentence: 'has no X-Request-Id' }
    if (sent.method === 'HEAD') return undefined
    if (isAsked(sent)) return this.#faultOfAnswer(sent.operation, received)
    return status < 400 ? undefined : this.#faultOfError(received)
  }

  #faultOfAnswer(operation: Operation, received: Received): Fault | undefined {
    const { status } = received
    const declared = operation.responses[status]
    if (!declared) return { kind: 'status', sentence: `answered ${status}, which is not declared` }
    if (status >= 400) return this.#faultOfError(received)
    const media = received.headers.get('content-type')?.split(';')[0] ?? 'nothing'
    if (!declared.content?.[media])
      return { kind: 'form', sentence: `answered ${media}, which is not declared` }
    if (media === STREAM) return undefined
    const place = ['paths', operation.path, operation.method.toLowerCase(), 'responses', status]
    return this.#faultOfBody(pointer(...place, 'content', media, 'schema'), received.text, 'form')
  }

  #faultOfError(received: Received): Fault | undefined {
    return this.#faultOfBody(pointer('components', 'schemas', 'Error'), received.text, 'error')
  }

  #faultOfBody(at: string, text: string, kind: 'form' | 'error'): Fault | undefined {
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      return { kind, sentence: `answered what is not JSON: ${text.slice(0, 200)}` }
    }
    const validate = this.#validators.get(at) ?? this.#ajv.compile({ $ref: `document#${encodeURI(at)}` })
    this.#validators.set(at, validate)
    if (validate(body)) return undefined
    const [first] = validate.errors ?? []
    return {
      kind,
      sentence: `answered a body whose ${first?.instancePath || 'whole'} ${first?.message}: ${text.slice(0, 500)}`,
    }
  }
}

/** Whether the request goes to the operation it was made for: a strange value may make its path another one. */
function isAsked({ operation, method, target }: Sent): boolean {
  const path = target.split('?', 1)[0] ?? ''
  const pattern = operation.path.replace(/\{\w+\}/g, '[^/]+')
  return (
    method === operation.method &&
    new RegExp(`^${pattern}$`).test(path) &&
    !/%(?![0-9a-f]{2})|\/\.|#/i.test(path)
  )
}
