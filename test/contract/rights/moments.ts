import { contentOf, isChanged } from '../../support/content.ts'
import { settle } from '../../support/service.ts'
import type { CreatedObjects, Row } from './endpoints.ts'
import type { Subject } from './subject.ts'

/** The outcome of a request, and whether it wrote anything after the permission ended. */
export interface Result {
  readonly status: number
  readonly code: unknown
  readonly hasWritten: boolean
}

/** Sends a request and ends the permission at this moment of it. */
export type Interleaving = (
  subject: Subject,
  row: Row,
  made: CreatedObjects,
  end: () => void,
) => Promise<Result>

const textOf = ({ body }: CreatedObjects): string | Uint8Array<ArrayBuffer> | undefined =>
  body === undefined || body instanceof Uint8Array
    ? (body as Uint8Array<ArrayBuffer> | undefined)
    : JSON.stringify(body)

const requestOf = (
  { headers }: Subject,
  { route }: Row,
  made: CreatedObjects,
  body: ReadableStream | ReturnType<typeof textOf> = textOf(made),
): Request =>
  new Request(`http://localhost${made.path}`, {
    method: route.method,
    headers: { ...headers, ...made.headers },
    ...(body !== undefined && { body }),
  })

/** Sends a request to the service without a network. */
export const send = async (subject: Subject, row: Row, made: CreatedObjects): Promise<Response> =>
  subject.service.app.fetch(requestOf(subject, row, made))

async function resultOf(
  { service }: Subject,
  answer: Response | Promise<Response>,
  before: () => Uint8Array,
): Promise<Result> {
  const response = await answer
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const body = (isJson ? await response.json() : {}) as {
    code?: string
    result?: { _meta?: { code?: string } }
  }
  if (!isJson) await response.body?.cancel()
  await settle()
  return {
    status: response.status,
    code: body.code ?? body.result?._meta?.code,
    hasWritten: isChanged(before(), contentOf(service)),
  }
}

/** Ends the permission before the request is sent. */
export const beforeIt: Interleaving = (subject, row, made, end) => {
  end()
  const state = contentOf(subject.service)
  return resultOf(subject, send(subject, row, made), () => state)
}

/** Ends the permission while the body arrives. */
export const duringItsBody: Interleaving = async (subject, row, made, end) => {
  const text = textOf(made) ?? '{}'
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start: (made) => {
      controller = made
    },
  })
  controller?.enqueue(bytes.subarray(0, 1))
  const answer = subject.service.app.fetch(requestOf(subject, row, made, body))
  await settle()
  end()
  const state = contentOf(subject.service)
  controller?.enqueue(bytes.subarray(1))
  controller?.close()
  return resultOf(subject, answer, () => state)
}

/** Ends the permission while the write is queued. */
export const whileQueued: Interleaving = async (subject, row, made, end) => {
  const { db } = subject.service.ctx
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const pause = db.pauseDuring(() => held)
  const answer = send(subject, row, made)
  await settle()
  end()
  const state = contentOf(subject.service)
  release()
  await pause
  return resultOf(subject, answer, () => state)
}
