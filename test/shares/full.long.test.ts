import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runs } from '../support/counts.ts'
import { newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { declare } from '../support/records.ts'

const MAX_ROWS = runs(200, 2_000)
const SENDERS = 64

const folder = newFolder()
let server: ServerProcess

beforeAll(async () => {
  server = await startProcess(folder.file('daybook.db'))
  await declare(server, 'Places', [
    { key: 'name', type: 'text', required: true },
    { key: 'paper', type: 'file' },
  ])
})
afterAll(async () => {
  await server.end()
  folder.remove()
})

/** Posts as a page does, with or without a file, and as a program, each with an idempotency key. */
async function post(url: string, number: number): Promise<number> {
  const headers = { 'Idempotency-Key': `post ${number}` }
  const name = `Guest ${number}`
  const send = (body: RequestInit['body'], more: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', body, headers: { ...headers, ...more }, redirect: 'manual' })
  if (number % 3 === 0)
    return (await send(JSON.stringify({ data: { name } }), { 'content-type': 'application/json' })).status
  if (number % 3 === 1) return (await send(new URLSearchParams({ name }))).status
  const form = new FormData()
  form.append('name', name)
  form.append('paper', new File([`paper of ${number}`], `${number}.txt`))
  return (await send(form)).status
}

test('a form with a limit of rows accepts exactly that many, however many post concurrently', async () => {
  const { share } = (
    await server.post('/v1/shares', {
      kind: 'form',
      target_id: 'Places',
      options: { max_rows: MAX_ROWS, per_address_per_day: 1_000_000 },
    })
  ).body
  const url = server.url + new URL(share.url).pathname
  const taken: number[] = []
  let next = 0
  const sender = async () => {
    while (next < 2 * MAX_ROWS) {
      const number = next++
      const status = await post(url, number)
      expect(status).toBeOneOf([201, 303, 400])
      if (status !== 400) taken.push(number)
      // A program that is unsure repeats its request: this creates no second row and returns the same response.
      if (number % 5 === 0) expect([number, await post(url, number)]).toEqual([number, status])
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, sender))
  expect(taken.length).toBe(MAX_ROWS)
  const names: string[] = []
  for (let offset = 0; offset < MAX_ROWS; offset += 500) {
    const { records } = (await server.get(`/v1/records?structure=Places&limit=500&offset=${offset}`)).body
    names.push(...records.map(({ data }: { data: { name: string } }) => data.name))
  }
  expect(names.sort()).toEqual(taken.map((number) => `Guest ${number}`).sort())
  const { counts } = (await server.get('/v1/workspace')).body.workspace
  expect([counts.records, counts.files]).toEqual([
    MAX_ROWS,
    taken.filter((number) => number % 3 === 2).length,
  ])
  expect(await (await fetch(url)).text()).not.toContain('<form')
})
