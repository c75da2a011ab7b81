import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { COMMANDS } from '../src/cli/run.ts'
import { serve } from '../src/cli/serve.ts'
import { newFolder, startProcess } from './support/process.ts'

const ROOT = join(import.meta.dir, '..')
const README = await Bun.file(join(ROOT, 'README.md')).text()

interface Step {
  command: string
  output: string
}

/** The commands of the tour and what the README says they print. */
function tourSteps(): Step[] {
  const blocks = [...README.matchAll(/<!-- tour -->\n```console\n([\s\S]*?)```/g)].map(
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

test('the tour of the README prints what the README says', async () => {
  const steps = tourSteps()
  const folder = newFolder()
  const server = await startProcess(folder.file('daybook.db'), { how: 'executable' })
  const env = { PATH: process.env.PATH ?? '', KEY: server.key ?? '', URL: server.url }
  const ids = new Ids()
  try {
    expect(steps.length).toBeGreaterThan(10)
    for (const { command, output } of steps) {
      const shell = Bun.spawn(['bash', '-c', ids.inRun(command)], { env, stdout: 'pipe', stderr: 'inherit' })
      const actual = (await shell.stdout.text()).trim()
      ids.learn(output, actual)
      expect(withoutTimes(actual)).toBe(withoutTimes(ids.inRun(output)))
    }
  } finally {
    await server.end()
    folder.remove()
  }
}, 30_000)

/** The cells of each row of the table under a heading of this name, without the row of the names of the columns. */
function tableUnder(heading: string): string[][] {
  const [, section = ''] = README.split(`\n### ${heading}\n`)
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? []
  const rows = table.trim().split('\n').slice(2)
  return rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const inCode = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)

test('the README lists every setting of the server, with its default', () => {
  const listed = tableUnder('Configuration').map(([flag = '', variable, standard]) => [
    inCode(flag)[0],
    variable,
    standard?.replaceAll('`', ''),
  ])
  const settings = serve.flags.map(({ name, value, help }) => [
    `--${name} <${value}>`,
    `\`DAYBOOK_${name.toUpperCase().replaceAll('-', '_')}\``,
    /\(default (.*)\)/.exec(help)?.[1] ?? 'none',
  ])
  expect(listed.toSorted()).toEqual(settings.toSorted())
})

test('the README lists every command', () => {
  const listed = tableUnder('Command line').flatMap(([cell = '']) => {
    const usages = inCode(cell).map((usage) => usage.replace(/^daybook /, '').split(' '))
    const group = usages[0]?.[0]
    const candidates = usages.map(([first, second]) => [first, `${first} ${second}`, `${group} ${first}`])
    return candidates.map((names) => COMMANDS.find(({ name }) => names.includes(name))?.name ?? names)
  })
  expect(listed.toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted())
})

test('the README names every flag', () => {
  const flags = new Set(COMMANDS.flatMap((command) => command.flags.map(({ name }) => `--${name}`)))
  expect([...flags].filter((flag) => !new RegExp(`${flag}(?![a-z-])`).test(README))).toEqual([])
})

test('the README says what every part of the source is', () => {
  const isResource = (name: string) => existsSync(join(ROOT, 'src', name, 'routes.ts'))
  const others = readdirSync(join(ROOT, 'src')).filter((name) => !isResource(name))
  expect(others.length).toBeGreaterThan(10)
  expect(others.filter((name) => !README.includes(`src/${name}`))).toEqual([])
})
