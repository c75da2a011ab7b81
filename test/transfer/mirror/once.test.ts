import { expect, test } from 'bun:test'
import { alter, sizesOf } from '../../support/database.ts'
import { daybook, newFolder } from '../../support/process.ts'
import { startService } from '../../support/service.ts'

test('refuses the second of two simultaneous updates of a copy, and logs no change twice', async () => {
  const folder = newFolder()
  const file = folder.file('mirror.db')
  const service = await startService()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let isHeld = false
  let asked = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      if (isHeld && new URL(request.url).pathname === '/v1/changes') {
        asked += 1
        if (asked === 2) release()
        await released
      }
      return service.app.fetch(request)
    },
  })
  const copyOnce = () =>
    daybook(['mirror', `http://127.0.0.1:${server.port}`, '--once', '--db', file], {
      env: { DAYBOOK_KEY: service.key ?? '' },
    })
  expect((await copyOnce()).exitCode).toBe(0)
  for (const title of ['One', 'Two', 'Three']) await service.post('/v1/notes', { title })
  isHeld = true
  const commands = [copyOnce(), copyOnce()]
  void Promise.race(commands).then(() => release())
  const outcomes = await Promise.all(commands)
  expect(outcomes.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1])
  expect(outcomes.map(({ err }) => err).join('')).toContain(`Another daybook is serving ${file}`)
  expect(sizesOf(file, 'changes')).toEqual([3])
  await server.stop(true)
  service.close()
  folder.remove()
})

test('finishes an interrupted upgrade of a copy before it updates it', async () => {
  const folder = newFolder()
  const file = folder.file('mirror.db')
  const service = await startService()
  await service.post('/v1/notes', { title: 'Indexed by the upgrade' })
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: service.app.fetch })
  const copyOnce = () =>
    daybook(['mirror', `http://127.0.0.1:${server.port}`, '--once', '--db', file], {
      env: { DAYBOOK_KEY: service.key ?? '' },
    })
  expect((await copyOnce()).exitCode).toBe(0)
  await alter(
    file,
    `INSERT OR REPLACE INTO search_pending SELECT workspace, pk, 2 FROM notes;
    INSERT INTO note_search (note_search) VALUES ('delete-all');
    INSERT INTO jobs (kind, key, state, due_at) VALUES ('notes.convertSearch', 0, 'null', 0)`,
  )
  expect((await copyOnce()).exitCode).toBe(0)
  const tables = ['search_pending', "jobs WHERE kind = 'notes.convertSearch'", 'note_search_docsize']
  expect(sizesOf(file, ...tables)).toEqual([0, 0, 1])
  await server.stop(true)
  service.close()
  folder.remove()
})
