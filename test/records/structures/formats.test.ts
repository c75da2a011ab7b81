import { afterEach, beforeEach, expect, test } from 'bun:test'
import { declare, field, write } from '../../support/records.ts'
import { startService, type TestService } from '../../support/service.ts'

const PATH = '/v1/records/structures'
let service: TestService

beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const declared = (type: string, format: unknown) =>
  service.post(PATH, { name: 'Things', fields: [field('value', type, { format })] })
const patched = (sent: object) => service.patch(`${PATH}/Things`, { fields: [sent] })
const formatOf = ({ body }: { body: { structure: { fields: object[] } } }) => body.structure.fields[0]

test.each([
  ['number', { style: 'plain' }],
  ['number', { style: 'grouped', decimals: 0 }],
  ['number', { style: 'percent', decimals: 8 }],
  ['number', { style: 'currency', decimals: 2, currency: 'EUR' }],
  ['text', { style: 'url' }],
  ['text', { style: 'email' }],
  ['text', { style: 'phone' }],
  ['text', { style: 'long' }],
])('a %s field has the format %p until null clears it', async (type, format) => {
  expect(formatOf(await declared(type, format))).toHaveProperty('format', format)
  const label = 'Amount'
  expect(formatOf(await patched({ key: 'value', type, label }))).toMatchObject({ label, format })
  expect(formatOf(await patched({ key: 'value', type, format: null }))).not.toHaveProperty('format')
  expect(formatOf(await service.get(`${PATH}/Things`))).not.toHaveProperty('format')
})

test.each([
  ['number', { style: 'url' }, 'refused'],
  ['text', { style: 'percent' }, 'refused'],
  ['date', { style: 'plain' }, 'refused'],
  ['text', { style: 'long', decimals: 1 }, 'refused'],
  ['number', { style: 'currency' }, 'refused'],
  ['number', { style: 'plain', currency: 'EUR' }, 'refused'],
  ['number', { style: 'currency', currency: 'eur' }, 'invalid_request'],
  ['number', { style: 'currency', currency: 'EURO' }, 'invalid_request'],
  ['number', { style: 'plain', decimals: 9 }, 'invalid_request'],
  ['number', { style: 'plain', decimals: -1 }, 'invalid_request'],
  ['number', { style: 'plain', decimals: 1.5 }, 'invalid_request'],
  ['number', { style: 'bold' }, 'invalid_request'],
  ['number', {}, 'invalid_request'],
  ['number', 'plain', 'invalid_request'],
  ['number', { style: 'plain', digits: 1 }, 'invalid_request'],
])('a %s field with the format %p is refused', async (type, format, code) => {
  expect(await declared(type, format)).toMatchObject({ status: 400, body: { code } })
})

const CHECKED: [style: string, good: string[], bad: string[]][] = [
  [
    'url',
    ['https://example.com', 'HTTP://a/b?c#d', 'http://localhost:80', 'https://ünï.example/ä'],
    ['example.com', 'ftp://example.com', 'mailto:a@b.c', 'https://', 'javascript:alert(1)', 'http://a b'],
  ],
  [
    'email',
    ['ada@example.com', "o'neil+x@localhost", 'a@b-c.de'],
    ['ada', 'ada@', '@example.com', 'a b@c.de', 'a@b..c', 'a@-b.c', 'ä@example.com', 'a@b.c, d@e.f'],
  ],
  ['phone', ['+49 30 1234', 'ask Ada'], []],
]
test.each(CHECKED)('texts of the style %s are checked when written', async (style, good, bad) => {
  await declare(service, 'Things', [field('value', 'text', { format: { style } })])
  for (const value of good)
    expect(await write(service, 'Things', { value })).toMatchObject([{ data: { value } }])
  for (const value of bad)
    expect(await service.post('/v1/records', { structure: 'Things', data: { value } })).toMatchObject({
      status: 400,
      body: { code: 'refused', error: expect.stringContaining('"value" must be a') },
    })
})
