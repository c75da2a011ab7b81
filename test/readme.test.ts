import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { newFolder } from './support/process.ts'

const ROOT = join(import.meta.dir, '..')

interface Step {
  command: string
  output: string
}

/** The commands of the tour and what the README says they print. */
function tourSteps(readme: string): Step[] {
  const blocks = [...readme.matchAll(/<!-- tour -->\n```console\n([\s\S]*?)```/g)].map(
    ([, text = '']) => text,
  )
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n')
        return { command: part.slice(0, end), output: part.slice(end + 1).trim() }
      }),
  )
}

const CHANGING = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d{2}-\d{2}T[\d:.]+Z/g
const isTimestamp = (text: string) => text.includes('T')

/** Ids of the README stand for those of this run: learned where they are first printed, put into later commands. */
class Ids {
  readonly #actual = new Map<string, string>()

  learn(printed: string, actual: string): void {
    const found = actual.match(CHANGING) ?? []
    for (const [index, name] of (printed.match(CHANGING) ?? []).entries()) {
      if (!this.#actual.has(name)) this.#actual.set(name, found[index] ?? name)
    }
  }

  inRun = (text: string): string =>
    text.replace(CHANGING, (name) => (isTimestamp(name) ? name : (this.#actual.get(name) ?? name)))
}

const withoutTimes = (text: string) =>
  text.replace(CHANGING, (found) => (isTimestamp(found) ? '<time>' : found))

async function startExecutable(folder: string) {
  const server = Bun.spawn([join(ROOT, 'dist/daybook'), 'serve', '--port', '0'], {
    cwd: folder,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const printed = async (stream: ReadableStream<Uint8Array>, wanted: RegExp): Promise<string> => {
    let text = ''
    for await (const chunk of stream) {
      text += Buffer.from(chunk).toString()
      const found = wanted.exec(text)?.[0]
      if (found) return found
    }
    throw new Error(`the executable printed: ${text}`)
  }
  const [key, url] = await Promise.all([
    printed(server.stderr, /dbk_[A-Za-z0-9_-]{43}/),
    printed(server.stdout, /http:\/\/\S+/),
  ])
  return { server, env: { PATH: process.env.PATH ?? '', KEY: key, URL: url } }
}

test('the tour of the README prints what the README says', async () => {
  const steps = tourSteps(await Bun.file(join(ROOT, 'README.md')).text())
  const folder = newFolder()
  const { server, env } = await startExecutable(folder.path)
  const ids = new Ids()
  try {
    expect(steps.length).toBeGreaterThan(10)
    for (const { command, output } of steps) {
      const shell = Bun.spawn(['bash', '-c', ids.inRun(command)], { env, stdout: 'pipe', stderr: 'inherit' })
      const actual = (await new Response(shell.stdout).text()).trim()
      ids.learn(output, actual)
      expect(withoutTimes(actual)).toBe(withoutTimes(ids.inRun(output)))
    }
  } finally {
    server.kill('SIGTERM')
    await server.exited
    folder.remove()
  }
}, 30_000)
