import { afterAll, afterEach, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test'
import { plainText, readTasks, setTask, tasksIn } from '../../src/web/data/note-tasks.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let fetched: ReturnType<typeof spyOn<typeof globalThis, 'fetch'>>
/** The paths of the requests of a test. */
let paths: string[] = []

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())
beforeEach(() => {
  paths = []
  fetched = spyOn(globalThis, 'fetch').mockImplementation((async (
    path: string,
    { method = 'GET', body, headers }: RequestInit = {},
  ) => {
    paths.push(`${method} ${path}`)
    const authorization = `Bearer ${service.key}`
    return service.app.fetch(
      new Request(`http://localhost${path}`, {
        method,
        body: body ?? null,
        headers: { ...Object.fromEntries(new Headers(headers)), authorization },
      }),
    )
  }) as typeof fetch)
})
afterEach(() => fetched.mockRestore())

const create = async (title: string, content: string): Promise<string> =>
  (await service.post('/v1/notes', { title, content })).body.note.id

const contentOf = async (id: string) => (await service.get(`/v1/notes/${id}`)).body.note.content

async function noteNamed(title: string) {
  const note = (await readTasks([])).notes.find((one) => one.title === title)
  if (!note?.tasks?.[0]) throw new Error(`no task in ${title}`)
  return { note, task: note.tasks[0] }
}

test('finds items with checkboxes, but none in code, comments and paragraphs', () => {
  const text =
    '- [ ] a\r\n> 2) [X] b\n\n```\n- [ ] code\n```\n<!--\n- [ ] comment\n-->\nA year:\n1986. [ ] none\n\n* [ ]\n'
  expect(tasksIn(text).map((task) => [task.text, task.isDone, text[task.at]])).toEqual([
    ['a', false, ' '],
    ['b', true, 'X'],
  ])
})

test('shows the text without markup, in linear time', () => {
  expect(plainText('call [[Mira|her]] about **the** [van](https://example.com)')).toBe(
    'call her about the van',
  )
  expect(plainText('![](x.png)')).toBe('![](x.png)')
  const started = performance.now()
  for (const part of ['[', '[[', '[[a|', '[a](', '**a', '`', '== '])
    expect(plainText(part.repeat(300_000)).length).toBeGreaterThan(0)
  expect(performance.now() - started).toBeLessThan(5_000)
})

test('reads every note, though long texts end a page early', async () => {
  await create('Oldest', '- [ ] found')
  for (let number = 0; number < 9; number++) await create(`Long ${number}`, 'x'.repeat(1_000_000))
  const { notes, isComplete } = await readTasks([])
  expect(isComplete).toBe(true)
  expect(notes.find(({ title }) => title === 'Oldest')?.tasks).toHaveLength(1)
  paths = []
  expect((await readTasks(notes)).notes).toEqual(notes)
  expect(paths.join()).not.toContain('content=true')
  const unread = notes.map((note) => ({ ...note, tasks: undefined }))
  expect((await readTasks(unread)).notes).toEqual(notes)
})

test('ticks a task in the latest version of its note', async () => {
  const id = await create('Van', '- [ ] call\n\nend')
  const { note, task } = await noteNamed('Van')
  await service.patch(`/v1/notes/${id}`, { content: '- [ ] call\n\nnew end' })
  await setTask(note, task)
  expect(await contentOf(id)).toBe('- [x] call\n\nnew end')
})

test('changes nothing if the task has moved or was ticked meanwhile', async () => {
  const id = await create('Fair', '- [ ] pack')
  const { note, task } = await noteNamed('Fair')
  for (const content of ['- [x] pack', 'first\n\n- [ ] pack', '- [ ] sell']) {
    await service.patch(`/v1/notes/${id}`, { content })
    await expect(setTask(note, task)).rejects.toThrow('The note has changed.')
    expect(await contentOf(id)).toBe(content)
  }
})
