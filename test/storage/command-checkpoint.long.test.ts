import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { runBeside } from '../support/beside.ts'
import { daybook, newFolder, startCommand, startProcess } from '../support/process.ts'

/* Real commands that write much data beside a real server that reads and writes continuously. */

const FILE_BYTES = 50_000_000

type Pages = [isBusy: number, total: number, moved: number]

async function startWorld(checkpoint: 'auto' | 'off' = 'auto') {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const original = folder.file('original.bin')
  await Bun.write(original, new Uint8Array(FILE_BYTES).fill(7))
  const env = { DAYBOOK_CHECKPOINT: checkpoint }
  const server = await startProcess(file, { env })
  const key = /dbk_[\w-]{43}/.exec(server.err())?.[0] ?? ''
  const note = (await server.post('/v1/notes', { title: 'Small' })).body.id
  await server.post('/v1/records/structures', { name: 'small', fields: [{ key: 'n', type: 'number' }] })
  const { records } = (await server.post('/v1/records', { structure: 'small', data: { n: 0 } })).body
  const other = new Database(file, { readonly: true })
  const pages = () => other.query('PRAGMA wal_checkpoint(NOOP)').values()[0] as Pages
  let longest = 0
  return {
    file,
    server,
    /** Another program that has the database open. */
    other,
    pages,
    allMoved: async () => {
      for (let [, total, moved] = pages(); moved < total; [, total, moved] = pages()) await Bun.sleep(5)
    },
    logBytes: () => statSync(`${file}-wal`).size,
    /** The largest size of the log file during the run. */
    longestLog: () => longest,
    original,
    /** Adds the file several times with one command; resolves with its exit code. */
    add: (times: number) => daybook(['files', 'add', ...Array(times).fill(original), '--db', file], { env }),
    beside: async <Result>(run: () => Promise<Result>): Promise<Result> => {
      const running = Promise.withResolvers<Result>()
      let isOver = false
      const looking = (async () => {
        for (; !isOver; await Bun.sleep(5)) longest = Math.max(longest, statSync(`${file}-wal`).size)
      })()
      await runBeside(server, { key, note, row: records[0].id }, () =>
        run().then(running.resolve, running.reject),
      )
      isOver = true
      await looking
      return running.promise
    },
    end: async () => {
      other.close()
      expect(await server.end()).toBe(0)
      const database = new Database(file)
      expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
      database.close()
      folder.remove()
    },
  }
}

test('while a command writes 150 MB beside a server, the log restarts and stays short', async () => {
  const world = await startWorld()
  const { exitCode } = await world.beside(() => world.add(3))
  expect(exitCode).toBe(0)
  expect(world.longestLog()).toBeLessThan(120_000_000)
  await world.end()
}, 180_000)

test('a killed command leaves an intact database, and a log that the server checkpoints', async () => {
  const world = await startWorld()
  await world.allMoved()
  const command = startCommand(['files', 'add', world.original, '--db', world.file])
  while (world.pages()[1] < 3_000) await Bun.sleep(1)
  expect(world.pages()[2]).toBeLessThan(1_000)
  await command.end('SIGKILL')
  await world.allMoved()
  await world.end()
}, 180_000)
