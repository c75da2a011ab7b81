import { afterAll, expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { generateTypes } from '../../../src/clients/types/generate.ts'
import { runInProcess } from '../../support/cli.ts'
import { mirrorOf } from '../../support/mirror.ts'
import { daybook, newFolder } from '../../support/process.ts'
import { startService } from '../../support/service.ts'
import { HOSTILE, SAMPLE } from './structures.ts'

const folder = newFolder()
const file = folder.file('daybook.db')
const service = await startService({ file })
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => service.app.fetch(request) })
const url = `http://127.0.0.1:${server.port}`
const env = { DAYBOOK_KEY: await service.newKey({ scope: 'read' }) }
afterAll(async () => {
  await server.stop(true)
  service.close()
  folder.remove()
})

const STRUCTURES = [
  { name: 'Leads', description: 'Who may buy', fields: [{ key: 'name', type: 'text', required: true }] },
  { name: 'Ängste', fields: [{ key: 'lead', type: 'record', structure: 'Leads' }] },
  ...HOSTILE.map((name) => ({
    name: name.replace(/[\u2028\u2029]/g, ' '),
    description: `${name}\n*/ @ts-nocheck`,
    fields: [
      { key: 'constructor', type: 'select', options: [name], label: name.replace(/[\u2028\u2029]/g, ' ') },
    ],
  })),
]
for (const structure of STRUCTURES)
  expect(await service.post('/v1/records/structures', structure)).toMatchObject({ status: 201 })

const types = (...args: string[]) => runInProcess(['types', ...args], { env })

test('the same structures give the same bytes, over the API, from the file, from a mirror and to a file', async () => {
  const { out, err, exitCode } = await types('--url', `${url}/`)
  expect([exitCode, err]).toEqual([0, ''])
  expect(out).toContain('  /** Who may buy */\n  "Leads": {\n    name: string\n  }\n')
  expect(out).toContain('lead?: Id<"Leads">')
  expect((await types('--db', file)).out).toBe(out)
  const mirror = await mirrorOf(service)
  expect((await types('--db', mirror.file)).out).toBe(out)
  await mirror.close()
  const target = folder.file('client.ts')
  expect(await types('--db', file, '--out', target)).toMatchObject({ exitCode: 0, out: '' })
  expect(await Bun.file(target).text()).toBe(out)
  expect(statSync(target).mode & 0o777).toBe(0o644)
  expect(generateTypes([...SAMPLE].reverse())).toBe(generateTypes(SAMPLE))
})

test('no name or description is executed or hides the rest of the file', async () => {
  const library = folder.file('hostile.ts')
  await types('--url', url, '--out', library)
  const { createClient } = await import(library)
  const client = createClient({ url, key: env.DAYBOOK_KEY })
  for (const { name } of STRUCTURES) expect(await client.records(name).list()).toMatchObject({ total: 0 })
  expect(() => client.records('toString')).toThrow('There was no structure')
  expect(await Bun.file(library).text()).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/u)
})

test('--check names the structures that differ, and writes nothing', async () => {
  const target = folder.file('checked.ts')
  const check = () => types('--db', file, '--out', target, '--check')
  expect(await check()).toMatchObject({ exitCode: 1, err: expect.stringContaining('does not exist') })
  expect(existsSync(target)).toBe(false)
  await types('--db', file, '--out', target)
  expect(await check()).toMatchObject({ exitCode: 0 })
  const text = await Bun.file(target).text()
  await Bun.write(target, text.replaceAll('\n', '\r\n'))
  expect(await check()).toMatchObject({ exitCode: 0 })

  const { body } = await service.post('/v1/records/structures', {
    name: 'New',
    fields: [{ key: 'a', type: 'text' }],
  })
  expect(await check()).toMatchObject({ exitCode: 1, err: expect.stringContaining('structures: "New";') })
  await types('--db', file, '--out', target)
  await service.patch('/v1/records/structures/New', { name: 'Newer' })
  expect(await check()).toMatchObject({ exitCode: 1, err: expect.stringContaining('"New" and "Newer"') })
  await service.patch(`/v1/records/structures/${body.structure.id}`, { name: 'New', description: 'Told' })
  expect(await check()).toMatchObject({ exitCode: 1, err: expect.stringContaining('structures: "New";') })
  await types('--db', file, '--out', target)
  await Bun.write(target, `${await Bun.file(target).text()}// mine\n`)
  expect(await check()).toMatchObject({ exitCode: 1, err: expect.stringContaining('was edited') })
})

test.each([
  [['--check'], 2, '--check needs --out'],
  [['--check', '--out', '-'], 2, '--check needs --out'],
  [['--url', 'http://127.0.0.1:1', '--db', file], 2, 'not both'],
  [['--url', 'no address'], 2, '--url must be the address'],
  [['--url', 'http://127.0.0.1:1'], 1, 'does not answer'],
  [['--db', folder.file('nothing.db')], 1, 'nothing.db'],
  [['--db', file, '--out', folder.file('no/where.ts')], 1, 'cannot be written'],
  [['--db', file, '--out', folder.path], 1, 'cannot be read'],
  [['--db', file, '--workspace', 'Other'], 1, 'Other'],
])('types %j exits %d', async (args, exitCode, sentence) => {
  expect(await types(...args)).toMatchObject({ exitCode, err: expect.stringContaining(sentence), out: '' })
})

test('the key is read from the environment, and a wrong one is refused', async () => {
  expect(await runInProcess(['types', '--url', url])).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('DAYBOOK_KEY'),
  })
  const wrong = await runInProcess(['types', '--url', url], { env: { DAYBOOK_KEY: 'dbk_no' } })
  expect(wrong).toMatchObject({ exitCode: 1, out: '', err: expect.stringContaining('key') })
})

test('100 structures take less than a second', async () => {
  const many = folder.file('many.db')
  const other = await startService({ file: many })
  const fields = Array.from({ length: 20 }, (_, at) => ({ key: `f${at}`, type: 'text' }))
  for (let number = 0; number < 100; number++)
    await other.post('/v1/records/structures', { name: `Structure ${number}`, fields })
  other.close()
  await daybook(['version'])
  const startedAt = performance.now()
  const { exitCode, out } = await daybook(['types', '--db', many])
  expect(performance.now() - startedAt).toBeLessThan(1_000)
  expect([exitCode, out.match(/^ {2}"Structure \d+": \{$/gm)?.length]).toEqual([0, 200])
})
