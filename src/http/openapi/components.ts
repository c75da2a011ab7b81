import { t } from 'elysia'
import type { RefusalCode } from '../../lib/refusal.ts'
import { STATUS_OF } from '../errors.ts'
import { integer, strict } from '../schema/types.ts'
import type { JsonSchema } from './corrections.ts'

/** `components.headers` of the document. */
export const headerComponents = {
  'X-Request-Id': {
    description: 'The id of this request in the log of the server; include it when you report a failure.',
    schema: { type: 'string', examples: ['3f9c2a71d0000a1c'] },
  },
  'Retry-After': {
    description: 'Seconds after which the call may succeed.',
    schema: { type: 'integer', minimum: 1, examples: [42] },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { type: 'string', examples: ['Bearer realm="daybook"'] },
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the saved response to an earlier call with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  // Of downloads.
  ETag: {
    description: 'Identifies this state of the content; for `If-None-Match`, `If-Match` and `If-Range`.',
    schema: { type: 'string', examples: ['"01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"'] },
  },
  'Content-Disposition': {
    description: 'Always `attachment`, with the name of the file.',
    schema: {
      type: 'string',
      examples: [`attachment; filename="handbook.pdf"; filename*=UTF-8''handbook.pdf`],
    },
  },
  'Accept-Ranges': {
    description: 'Byte ranges are supported.',
    schema: { type: 'string', enum: ['bytes'] },
  },
  'Content-Range': {
    description: 'The range and the total size; `bytes */<size>` if the range begins beyond the end.',
    schema: { type: 'string', examples: ['bytes 0-1023/48211'] },
  },
}

const headerReferences = (...names: (keyof typeof headerComponents)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

export const REQUEST_ID_HEADER = headerReferences('X-Request-Id')
export const REPLAYED_HEADER = headerReferences('Idempotent-Replayed')
export const ENTITY_HEADER = headerReferences('ETag')

const requestHeader = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  description,
  required: false,
  schema: { type: 'string' },
  example,
})

const EXAMPLE_TAG = '"01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"'

/**
 * `components.parameters` of the document, without an `example`: viewers would send it, and thus the same key with
 * every request.
 */
export const parameterComponents = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Allows the call to be repeated safely: for 24 hours the same key with the same body returns the response of the first call, and nothing is written twice.',
    required: false,
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      pattern: '^[\\x20-\\x7e]+$',
      examples: ['note-2026-11-21-0930'],
    },
  },
  'Last-Event-ID': {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The `id` of the last event that was received; a browser sends it when it reconnects.',
    required: false,
    schema: { type: 'string', examples: ['5d0c7e91ab34-1'] },
  },
  // Of downloads.
  Range: requestHeader(
    'Range',
    'A single range of bytes: `bytes=0-1023`, `bytes=1024-` or `bytes=-512`. Any other is ignored.',
    'bytes=0-1023',
  ),
  'If-Range': requestHeader(
    'If-Range',
    'The `ETag` of the partial copy that the range continues; if it differs, all bytes are sent.',
    EXAMPLE_TAG,
  ),
  'If-None-Match': requestHeader(
    'If-None-Match',
    'The `ETag` of a copy; if it is current, nothing is sent (304).',
    EXAMPLE_TAG,
  ),
  'If-Match': requestHeader(
    'If-Match',
    'The `ETag` of the object as it was read; if it has changed since, nothing is written (412). `*` for any state.',
    EXAMPLE_TAG,
  ),
}

/** The codes that only the browser application receives. */
type ApplicationCode = 'session_required' | 'sign_in_again' | 'cross_site' | 'bad_host'
type ErrorCode = Exclude<RefusalCode, ApplicationCode> | 'internal'

/** An example of the sentence in `error`, for every code. */
const SENTENCES: Record<ErrorCode, string> = {
  invalid_request: '"title" is required.',
  refused: 'There is no property "stauts" in this workspace; define it first.',
  unique_violation: 'Row 3: another row has the value "A-7" in "code" already; choose another.',
  max_rows_reached: 'This structure holds 5 rows, as many as its max_rows allows; delete one first.',
  immutable: 'The rows of this structure are immutable and cannot be edited.',
  passage_not_found: 'old_str does not occur in this note; send a passage that occurs exactly once.',
  passage_not_unique: 'old_str occurs 3 times in this note; send a passage that occurs exactly once.',
  unauthorized: 'This API key is not valid, or was revoked, or has expired.',
  read_only_key: 'This API key is read-only; use a read-write key to change anything.',
  mirror: 'This is a read-only copy of https://daybook.example.com; change it there.',
  owner_required: 'Metrics are only for owners; use a key of an owner of the workspace.',
  no_access:
    'This needs "write" access to notes, and yours is "read"; ask an owner of the workspace for more.',
  not_found: 'There is no such note in this workspace.',
  method_not_allowed: 'This path does not allow PUT; it allows GET, HEAD.',
  name_taken: 'Another tag is named "work" already; choose another name.',
  in_use: 'The tag "work" is used by the view "Open work"; change that first.',
  precondition_failed:
    'The object has changed, so "If-Match" names another state; read it again and send its new "ETag".',
  cursor_expired:
    'The changes after this cursor are no longer stored, or it belongs to another state of the database.',
  stale: 'The note was changed after that instant; read it again.',
  too_large: 'The body is larger than 10 MiB; split the request.',
  unsupported_encoding:
    'Bodies with the Content-Encoding "gzip" are not supported; send the body uncompressed, without this header.',
  rate_limited: 'Too many failed API keys from this address; wait a minute.',
  uri_too_long: 'The URL is longer than 65536 bytes; shorten the query.',
  internal: 'The service failed; include the request id 3f9c2a71d0000a1c when you report it.',
  unavailable: 'The server is shutting down; nothing was written. Try again.',
}

/** The error responses by status: the name of the component and its meaning. */
const RESPONSES = {
  400: ['BadRequest', 'The request is malformed or breaks a rule; the sentence says what to change.'],
  401: ['Unauthorized', 'No API key, or one that is unknown, revoked or expired.'],
  403: [
    'Forbidden',
    'The key or its user may not write, or has no access to this content; or the server is a read-only copy of another.',
  ],
  404: ['NotFound', 'Not in this workspace, or in the trash, or deleted.'],
  409: ['Conflict', 'A name is taken, something depends on the object, or it changed since it was read.'],
  410: ['Expired', 'The cursor of the change log has expired; copy the workspace again.'],
  412: ['PreconditionFailed', 'The current `ETag` of the object is not in `If-Match`; nothing was written.'],
  413: ['TooLarge', 'The body is larger than 10 MiB.'],
  415: ['UnsupportedEncoding', 'The body has a `Content-Encoding` other than `identity`.'],
  429: [
    'RateLimited',
    'Too many requests or watched queries with this key, or too many failed keys from this address.',
  ],
  431: ['UriTooLong', 'The URL is longer than 65,536 bytes.'],
  500: ['Internal', 'The service failed.'],
  503: [
    'Unavailable',
    'The server is stopping, is too busy with large queries, or its storage is full or locked; nothing was written.',
  ],
} as const

export type ErrorStatus = keyof typeof RESPONSES

const CODES = Object.keys(SENTENCES) as ErrorCode[]

/** The body of every error. */
export const ErrorBody = strict(
  {
    error: t.String({
      description: 'A sentence with the reason and the fix.',
      examples: [SENTENCES.not_found],
    }),
    code: t.String({ enum: CODES, description: 'The machine-readable reason.', examples: ['not_found'] }),
  },
  { $id: 'Error' },
)

/** The body of an error as problem details. */
export const ProblemBody = strict(
  {
    type: t.Literal('about:blank'),
    title: t.String({ description: 'The phrase of the status.', examples: ['Bad Request'] }),
    status: integer({ examples: [400] }),
    detail: t.String({ description: 'The sentence of "error".', examples: [SENTENCES.invalid_request] }),
    code: t.String({
      enum: CODES,
      description: 'The machine-readable reason.',
      examples: ['invalid_request'],
    }),
    position: t.Optional(
      integer({ description: 'The position of a mistake in an expression, in characters from 0.' }),
    ),
    errors: t.Array(
      t.Object({
        detail: t.String({ examples: [SENTENCES.invalid_request] }),
        pointer: t.String({
          description:
            'A JSON pointer into the body, as the fragment of a URI, or `#/query/<name>` for a query parameter.',
          examples: ['#/title'],
        }),
        position: t.Optional(
          integer({ description: 'The position of the error in the text, in characters from 0.' }),
        ),
      }),
      { description: 'One entry for each cause that has a place in the request.' },
    ),
  },
  { $id: 'Problem' },
)

const statusOf = (code: ErrorCode): number => (code === 'internal' ? 500 : STATUS_OF[code])

const HEADERS = { 401: 'WWW-Authenticate', 429: 'Retry-After', 503: 'Retry-After' } as const

function errorResponseComponent(status: ErrorStatus, schema: JsonSchema, problem: JsonSchema) {
  const codes = CODES.filter((code) => statusOf(code) === status)
  const header = status === 401 || status === 429 || status === 503 ? HEADERS[status] : undefined
  return {
    description: RESPONSES[status][1],
    headers: { ...REQUEST_ID_HEADER, ...(header && headerReferences(header)) },
    content: {
      'application/json': {
        schema,
        examples: Object.fromEntries(
          codes.map((code) => [code, { value: { error: SENTENCES[code], code } }]),
        ),
      },
      'application/problem+json': { schema: problem },
    },
  }
}

const STATUSES = Object.keys(RESPONSES).map(Number) as ErrorStatus[]

/** `components.responses` of the document; the schemas refer to the two formats of an error body. */
export const errorResponseComponents = (schema: JsonSchema, problem: JsonSchema) =>
  Object.fromEntries(
    STATUSES.map((status) => [RESPONSES[status][0], errorResponseComponent(status, schema, problem)]),
  )

/** The errors among the `responses` of one operation. */
export const errorResponses = (statuses: readonly ErrorStatus[]) =>
  Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${RESPONSES[status][0]}` }]),
  )

export const downloadParameters = (['Range', 'If-Range', 'If-None-Match'] as const).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}))

const DOWNLOAD_HEADERS = headerReferences('ETag', 'Content-Disposition', 'Accept-Ranges')

const AFTER_THE_END = {
  error: 'The header "Range" begins beyond the end: the size is 48211.',
  code: 'refused',
}

/** The `responses` of a download; `errorSchema` refers to the error body. */
export const downloadResponses = (content: object, errorSchema: JsonSchema, always: object) => ({
  200: { description: 'All bytes.', headers: { ...always, ...DOWNLOAD_HEADERS }, content },
  206: {
    description: 'The bytes of the range.',
    headers: { ...always, ...DOWNLOAD_HEADERS, ...headerReferences('Content-Range') },
    content,
  },
  304: { description: 'The bytes match `If-None-Match`.', headers: { ...always, ...DOWNLOAD_HEADERS } },
  416: {
    description: 'The range begins beyond the end.',
    headers: { ...always, ...headerReferences('Content-Range', 'Accept-Ranges') },
    content: { 'application/json': { schema: errorSchema, example: AFTER_THE_END } },
  },
})
