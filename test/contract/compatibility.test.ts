import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openApiDocument } from '../support/openapi.ts'
import { findBreaks } from './compatibility.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document that is changed at will
type Document = any

const packed = await Bun.file(join(import.meta.dir, 'openapi.json.gz')).bytes()
const kept: Document = JSON.parse(Buffer.from(Bun.gunzipSync(packed)).toString())

const breaksAfter = (change: (document: Document) => void): string[] => {
  const changed = structuredClone(kept)
  change(changed)
  return findBreaks(kept, changed)
}

test('the document only adds to the stored one, so its clients continue to work', async () => {
  expect(Object.keys(kept.paths).length).toBeGreaterThan(50)
  expect(findBreaks(kept, await openApiDocument())).toEqual([])
})

const noteBody = ({ paths, components }: Document, method = 'post', path = '/v1/notes') => {
  const { schema } = paths[path][method].requestBody.content['application/json']
  return schema.$ref ? components.schemas[schema.$ref.split('/').at(-1)] : schema
}

test('additions are compatible', () => {
  expect(
    breaksAfter((document) => {
      document.paths['/v1/new'] = { get: { responses: {} } }
      noteBody(document).properties.added = { type: 'string' }
      document.components.schemas.Note.properties.added = { type: 'string' }
      document.components.schemas.Note.required.push('added')
      document.paths['/v1/notes'].get.parameters.push({
        in: 'query',
        name: 'added',
        schema: { type: 'string' },
      })
    }),
  ).toEqual([])
})

test.each<[string, RegExp, (document: Document) => void]>([
  ['a path that is gone', /^GET \/v1\/me: is gone$/, (document) => delete document.paths['/v1/me']],
  [
    'a parameter that is gone',
    /parameter query limit is gone/,
    ({ paths }) => {
      const { get } = paths['/v1/notes']
      get.parameters = get.parameters.filter(({ name }: { name: string }) => name !== 'limit')
    },
  ],
  [
    'a parameter that is required now',
    /parameter query new is required now/,
    ({ paths }) =>
      paths['/v1/notes'].get.parameters.push({ in: 'query', name: 'new', required: true, schema: {} }),
  ],
  [
    'an attribute that is no longer taken',
    /^POST \/v1\/notes\.alias: is gone$/,
    (document) => delete noteBody(document).properties.alias,
  ],
  [
    'an attribute that must be sent now',
    /^POST \/v1\/notes\.content: is required now$/,
    (document) => {
      const body = noteBody(document)
      body.required = [...(body.required ?? []), 'content']
    },
  ],
  [
    'a limit that is lower',
    /^POST \/v1\/notes\.content: maxLength has shrunk$/,
    (document) => {
      noteBody(document).properties.content.maxLength = 5
    },
  ],
  [
    'an attribute that is no longer answered',
    /\.pinned: is gone$/,
    ({ components }) => delete components.schemas.Note.properties.pinned,
  ],
  [
    'an attribute that may be absent now',
    /\.title: may be absent now$/,
    ({ components }) => {
      components.schemas.Note.required = components.schemas.Note.required.filter(
        (name: string) => name !== 'title',
      )
    },
  ],
  [
    'an attribute of another type',
    /\.pinned: type boolean is gone$/,
    ({ components }) => {
      components.schemas.Note.properties.pinned = { type: 'string' }
    },
  ],
  [
    'a status that is gone',
    /^POST \/v1\/notes: 201 is gone$/,
    ({ paths }) => delete paths['/v1/notes'].post.responses['201'],
  ],
  ['an event that is gone', /: is gone$/, ({ webhooks }) => delete webhooks[Object.keys(webhooks)[0] ?? '']],
])('%s is a break', (_, sentence, change) => {
  const breaks = breaksAfter(change)
  expect(breaks.length).toBeGreaterThan(0)
  expect(breaks.filter((one) => sentence.test(one)).length).toBeGreaterThan(0)
})
