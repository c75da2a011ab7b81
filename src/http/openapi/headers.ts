/** `components.headers` of the document. */
export const headerComponents = {
  'X-Request-Id': {
    description: 'Names this request in the log of the server; quote it when you report a failure.',
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
    description: '`true` when this is the answer to an earlier call with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
}

export const headerReference = (name: keyof typeof headerComponents) => ({
  [name]: { $ref: `#/components/headers/${name}` },
})

export const REQUEST_ID_HEADER = headerReference('X-Request-Id')
export const REPLAYED_HEADER = headerReference('Idempotent-Replayed')

/** `components.parameters` of the document. */
export const parameterComponents = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the call safe to repeat: for 24 hours the same key with the same body answers what the first call answered, and nothing is made twice.',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
    example: 'note-2026-11-21-0930',
  },
  'Last-Event-ID': {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The `id` of the last answer that was seen; a browser sends it when it comes back.',
    required: false,
    schema: { type: 'string' },
    example: '5d0c7e91ab34-1',
  },
}
