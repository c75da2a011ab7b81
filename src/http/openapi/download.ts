import type { JsonSchema } from './schemas.ts'

/* The description of a download (`downloadResponse`): its headers, and the responses besides the complete one. */

/** Entries of `components.headers`. */
export const downloadHeaderComponents = {
  ETag: {
    description: 'Identifies the bytes; for `If-None-Match` and `If-Range`.',
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

const reference = (...names: (keyof typeof downloadHeaderComponents)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const requestHeader = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  description,
  required: false,
  schema: { type: 'string' },
  example,
})

const EXAMPLE_TAG = '"01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60"'

/** Entries of `components.parameters`. */
export const downloadParameterComponents = {
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
}

export const downloadParameters = Object.keys(downloadParameterComponents).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}))

const HEADERS = reference('ETag', 'Content-Disposition', 'Accept-Ranges')

const AFTER_THE_END = {
  error: 'The header "Range" begins beyond the end: the size is 48211.',
  code: 'refused',
}

/** The `responses` of a download; `errorSchema` refers to the error body. */
export const downloadResponses = (content: object, errorSchema: JsonSchema, always: object) => ({
  200: { description: 'All bytes.', headers: { ...always, ...HEADERS }, content },
  206: {
    description: 'The bytes of the range.',
    headers: { ...always, ...HEADERS, ...reference('Content-Range') },
    content,
  },
  304: { description: 'The bytes match `If-None-Match`.', headers: { ...always, ...HEADERS } },
  416: {
    description: 'The range begins beyond the end.',
    headers: { ...always, ...reference('Content-Range', 'Accept-Ranges') },
    content: { 'application/json': { schema: errorSchema, example: AFTER_THE_END } },
  },
})
