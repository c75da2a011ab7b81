import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { spawn } from 'bun'
import { runs } from '../support/counts.ts'
import { newFolder } from '../support/process.ts'

const ROUNDS = runs(1, 4)
/** The command of the README for a clone. */
const START = ['npx', '-y', 'bun@1.4.5', 'run', 'start']

interface Running {
  /** The started process, which leads its own process group. */
  readonly pid: number
  /** Its descendant processes, by role. */
  readonly runner: number
  readonly server: number
  type(text: string): void
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim()

const below = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...below(child)])

/** Whether the process still runs. A process that has ended may not have been reaped yet. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await Bun.sleep(10)
}

/** Starts a server, ends it, and expects a clean end with no process left. */
async function expectStopped(command: string[], end: (running: Running) => void): Promise<void> {
  const folder = newFolder()
  const [db, out, err] = [folder.file('daybook.db'), folder.file('out'), folder.file('err')]
  const { PATH, HOME } = process.env
  const child = spawn(['setsid', '--wait', 'sh', '-c', '"$0" "$@" >"$OUT" 2>"$ERR"', ...command], {
    cwd: resolve(import.meta.dir, '../..'),
    env: { PATH, HOME, DAYBOOK_DB: db, DAYBOOK_PORT: '0', OUT: out, ERR: err },
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const said = () => [out, err].map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')).join('')
  await until(() => /"message":"started"/.test(said()) && /listening on \S+/.test(said()))
  const all = below(child.pid)
  try {
    const url = /listening on (\S+)/.exec(said())?.[1]
    const headers = {
      authorization: `Bearer ${/dbk_[\w-]{43}/.exec(said())?.[0]}`,
      accept: 'text/event-stream',
    }
    const stream = await fetch(`${url}/v1/changes`, { headers })
    const named = (name: RegExp) => all.findLast((pid) => name.test(commandOf(pid))) ?? 0
    end({
      pid: named(/^npm exec /),
      runner: named(/^bun run /),
      server: named(/ serve$/),
      type: (text) => {
        child.stdin.write(text)
        child.stdin.flush()
      },
    })
    expect(await stream.text()).toContain('event: closed')
    await until(() => !all.some(isRunning))
    expect(said()).toContain('"message":"stopped"')
    expect(existsSync(`${db}-wal`)).toBe(false)
  } finally {
    for (const pid of all) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
    folder.remove()
  }
}

/** Runs in a separate terminal, whose keyboard is the standard input. */
const inTerminal = (command: string[]) => ['script', '-qfec', command.join(' '), '/dev/null']

const groupOf = (pid: number) =>
  Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[2])

const WAYS: [string, (command: string[]) => string[], (running: Running) => void][] = [
  ['SIGINT to all its processes', (command) => command, ({ pid }) => process.kill(-groupOf(pid), 'SIGINT')],
  ['Ctrl-C in a terminal', inTerminal, ({ type }) => type('\x03')],
  ['SIGTERM to npx alone', (command) => command, ({ pid }) => process.kill(pid, 'SIGTERM')],
  ['SIGTERM to bun run', (command) => command, ({ runner }) => process.kill(runner, 'SIGTERM')],
]

test.skipIf(process.platform !== 'linux').each(WAYS)(
  'a server started from a clone is stopped cleanly by %s',
  async (_way, started, end) => {
    for (let round = 0; round < ROUNDS; round++) await expectStopped(started(START), end)
  },
)

test.skipIf(process.platform !== 'linux')(
  'a server restarted at every change of a file stops cleanly, too',
  () => expectStopped([...START.slice(0, -1), 'dev'], ({ pid }) => process.kill(-groupOf(pid), 'SIGINT')),
)
