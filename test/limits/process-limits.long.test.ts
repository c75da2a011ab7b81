import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { stored } from '../support/database.ts'
import { daybook, newFolder, program, type ServerProcess, startProcess } from '../support/process.ts'
import { hold, processorMs, UNFINISHED } from './connections.ts'

/** The behavior of a server whose clients exhaust its process limits. */
let folder: ReturnType<typeof newFolder>
let file: string
let server: ServerProcess

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
})

afterEach(async () => {
  await server.end('SIGKILL')
  folder.remove()
})

const hasProc = existsSync('/proc/self/stat')

/** Reads over a separate connection; undefined if there is none. */
const read = async () => {
  const response = await fetch(`${server.url}/v1/me`, {
    headers: { authorization: `Bearer ${server.key}`, connection: 'close' },
  }).catch(() => undefined)
  return response?.status
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await Bun.sleep(50)
}

describe.skipIf(!hasProc)('a server with as many open files as it may have', () => {
  const isPaused = () => server.err().includes('too many open files: new connections are accepted')

  /** Exhausts the open files. Retries if the beginnings arrived so late that the server closed connections as idle. */
  async function holdAll() {
    const held: { close(): void }[] = []
    while (!isPaused()) {
      held.push(await hold(server, 200, UNFINISHED))
      for (let checks = 0; checks < 40 && !isPaused(); checks++) await Bun.sleep(50)
    }
    return {
      close: () => {
        for (const one of held) one.close()
      },
    }
  }

  beforeEach(async () => {
    server = await startProcess(file, { maxOpenFiles: 64 })
  })

  test('waits without using the processor, and serves again when connections are closed', async () => {
    const held = await holdAll()
    const before = processorMs(server.pid)
    await Bun.sleep(2_000)
    expect(processorMs(server.pid) - before).toBeLessThan(800)
    held.close()
    await until(async () => (await read()) === 200)
    expect(server.err()).not.toContain('"level":"error"')
  })

  test('tries a file again for which it could start no process', async () => {
    const held = await holdAll()
    const path = folder.file('tea.txt')
    await Bun.write(path, 'Green tea.')
    const added = daybook(['files', 'add', path, '--db', file])
    await until(() => server.err().includes('the text of files cannot be read yet'))
    const state = () =>
      stored<{ status: string; attempts: number }>(file, 'SELECT status, attempts FROM files')[0]
    await until(() => state()?.attempts === 0)
    expect(state()?.status).toBe('processing')
    held.close()
    await until(() => state()?.status !== 'processing')
    expect(state()).toEqual({ status: 'ready', attempts: 1 })
    expect((await added).exitCode).toBe(0)
  })
})

describe.skipIf(!hasProc)('a server serves others', () => {
  test('beside 2,000 clients that never finish their headers', async () => {
    server = await startProcess(file, { args: ['--log-level', 'warn'] })
    const held = await hold(server, 2_000, UNFINISHED)
    const before = processorMs(server.pid)
    for (let at = 0; at < 20; at++) expect(await read()).toBe(200)
    await Bun.sleep(1_000)
    expect(processorMs(server.pid) - before).toBeLessThan(800)
    held.close()
  })
})

test.skipIf(!hasProc)(
  'where memory runs out, the process that reads a file is ended before the server',
  async () => {
    server = await startProcess(file)
    const child = Bun.spawn([...program(), 'extract', 'txt', '60', '512'], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
      env: {},
    })
    const adjustmentOf = (pid: number) => Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'))
    await until(() => adjustmentOf(child.pid) === 1_000)
    expect(adjustmentOf(server.pid)).toBeLessThan(1_000)
    child.stdin.write('Green tea.')
    await child.stdin.end()
    const lines = (await child.stdout.text()).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { started: true },
      { page: 'Green tea.' },
      { outline: [] },
    ])
  },
)
