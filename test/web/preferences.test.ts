import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { unsavedWork } from '../../src/web/data/pending.ts'
import { type Preferences, prefer } from '../../src/web/data/preferences.ts'
import { sessionKey } from '../../src/web/data/session-key.ts'

const PATH = '/app/api/preferences'

let fetched: ReturnType<typeof spyOn<typeof globalThis, 'fetch'>>
/** The preferences of each write, and what answers it. */
let writes: { readonly preferences: Preferences; readonly answer: (response: Response) => void }[]
let arrived: PromiseWithResolvers<void>

const missing = () => Response.json({ code: 'not_found', detail: 'Not here.' }, { status: 404 })
const unavailable = () => Response.json({ code: 'unavailable', detail: 'Later.' }, { status: 503 })

function answerRequest(path: string, { method, body }: RequestInit = {}): Response | Promise<Response> {
  if (path !== PATH) return missing()
  if (method !== 'PUT') return Response.json({ preferences: { week_start: 1 } })
  const { promise, resolve } = Promise.withResolvers<Response>()
  writes.push({ preferences: JSON.parse(String(body)).preferences, answer: resolve })
  arrived.resolve()
  return promise
}

beforeEach(() => {
  writes = []
  arrived = Promise.withResolvers()
  fetched = spyOn(globalThis, 'fetch')
  fetched.mockImplementation((async (path: string, init: RequestInit) =>
    answerRequest(path, init)) as unknown as typeof fetch)
  sessionKey.value = 'person here'
})
afterEach(() => {
  sessionKey.value = undefined
  fetched.mockRestore()
})

const save = () => Promise.all([...unsavedWork].map((work) => work.save?.()))

async function nextWrite() {
  await arrived.promise
  arrived = Promise.withResolvers()
  const write = writes.at(-1)
  if (!write) throw new Error('Nothing was written.')
  return write
}

test('a change made while another is being sent waits for it, and both survive its failure', async () => {
  prefer({ theme: 'dark' })
  const saved = save()
  const first = await nextWrite()
  expect(first.preferences).toMatchObject({ week_start: 1, theme: 'dark' })

  prefer({ dates: 'iso' })
  const savedLater = save()
  first.answer(unavailable())
  await saved
  const second = await nextWrite()
  expect(second.preferences).toMatchObject({ week_start: 1, theme: 'dark', dates: 'iso' })
  second.answer(Response.json({ preferences: {} }))
  await savedLater
  expect(writes).toHaveLength(2)

  await save()
  expect(writes).toHaveLength(2)
})
