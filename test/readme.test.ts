import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withHighlights } from '../scripts/bench/results.ts'
import { documents } from '../scripts/release/packages/documents.ts'
import { serve } from '../src/cli/commands/serve.ts'
import { COMMANDS } from '../src/cli/run.ts'
import { newFolder, program, startProcess } from './support/process.ts'

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

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const TIME = String.raw`\d{4}-\d{2}-\d{2}T[\d:.]+Z`
const VARIABLE = new RegExp(`(${ID}|${TIME}|…)`)

/** The ids of this run by those in the README, each learned where it is first printed. */
class Ids {
  readonly #actual = new Map<string, string>()

  /** A command of the README with the ids of this run. */
  inRun = (command: string): string =>
    command.replace(new RegExp(ID, 'g'), (name) => this.#actual.get(name) ?? name)

  /** Fails unless the output is as printed: times may differ, ids stand for those of this run, `…` for any text. */
  expectPrinted(output: string, printed: string): void {
    const learned: string[] = []
    const pattern = printed.split(VARIABLE).map((part) => {
      if (part === '…') return '[^]*?'
      if (new RegExp(`^${TIME}$`).test(part)) return TIME
      if (!new RegExp(`^${ID}$`).test(part)) return RegExp.escape(part)
      const actual = this.#actual.get(part)
      if (actual !== undefined || learned.includes(part)) return actual ?? ID
      learned.push(part)
      return `(${ID})`
    })
    const match = new RegExp(`^${pattern.join('')}$`).exec(output)
    if (!match) expect(output).toBe(this.inRun(printed))
    for (const [at, name] of learned.entries()) this.#actual.set(name, match?.[at + 1] ?? name)
  }
}

/** The shell function that the tour defines for its commands. */
const HELPER = /^api\(\) \{.*\}$/m.exec(README)?.[0] ?? ''

/** The blocks of the pages that run beside the server of the tour, as they are printed. */
const recipes = [
  'README.md',
  ...readdirSync(join(ROOT, 'scripts', 'deploy')).map((name) => `scripts/deploy/${name}`),
]
  .filter((page) => page.endsWith('.md'))
  .flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/<!-- recipe -->\n```sh\n([\s\S]*?)```/g)].map(
      ([, script = '']) => ({ page, script }),
    ),
  )

async function runRecipes(env: Record<string, string>, folder: ReturnType<typeof newFolder>): Promise<void> {
  expect(recipes.length).toBeGreaterThan(6)
  const [executable = ''] = program()
  const given = { ...env, PATH: `${dirname(executable)}:${env.PATH}`, DAYBOOK_DB: folder.file('daybook.db') }
  // A response that reports an error fails too.
  const helper = `${HELPER.replace('api()', 'call()')}
api() { local said; said=$(call "$@"); echo "$said"; [[ $said != '{"error"'* ]]; }`
  Bun.spawnSync(['git', 'init', '--quiet'], { cwd: folder.path })
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
  Bun.spawnSync(['git', ...identity, 'commit', '--quiet', '--allow-empty', '-m', 'A commit'], {
    cwd: folder.path,
  })
  for (const { page, script } of recipes) {
    const shell = Bun.spawn(['bash', '-e', '-o', 'pipefail', '-c', `${helper}\n${script}`], {
      env: given,
      cwd: folder.path,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err, exitCode] = await Promise.all([shell.stdout.text(), shell.stderr.text(), shell.exited])
    expect([page, script, out, err, exitCode]).toEqual([page, script, out, err, 0])
  }
}

test('the tour of the README prints what the README says, and the recipes run beside it', async () => {
  const steps = tourSteps()
  const folder = newFolder()
  const server = await startProcess(folder.file('daybook.db'))
  const env = { PATH: process.env.PATH ?? '', KEY: server.key ?? '', URL: server.url }
  const ids = new Ids()
  try {
    expect(steps.length).toBeGreaterThan(10)
    for (const { command, output } of steps) {
      const script = `${HELPER}\n${ids.inRun(command)}`
      const shell = Bun.spawn(['bash', '-c', script], { env, stdout: 'pipe', stderr: 'inherit' })
      ids.expectPrinted((await shell.stdout.text()).trim(), output)
    }
    await runRecipes(env, folder)
  } finally {
    await server.end()
    folder.remove()
  }
}, 60_000)

/** The cells of the table under this heading, without its head. */
function tableUnder(heading: string): string[][] {
  const [, section = ''] = README.split(`\n## ${heading}\n`)
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
  const listed = tableUnder('Configuration').map(([flag = '', standard]) => [
    inCode(flag)[0],
    standard?.replaceAll('`', ''),
  ])
  const settings = serve.flags.map(({ name, value, help }) => [
    `--${name} <${value}>`,
    /\(default (.*)\)/.exec(help)?.[1] ?? 'none',
  ])
  expect(listed.toSorted()).toEqual(settings.toSorted())
  expect(serve.flags.filter(({ isSetting }) => !isSetting)).toEqual([])
})

test('the README lists every command', () => {
  const listed = tableUnder('Commands').flatMap(([cell = '']) => {
    const usages = inCode(cell).map((usage) => usage.replace(/^daybook /, '').split(' '))
    const group = usages[0]?.[0]
    const candidates = usages.map(([first, second]) => [first, `${first} ${second}`, `${group} ${first}`])
    const find = (names: (string | undefined)[]) => COMMANDS.find(({ name }) => names.includes(name))?.name
    return candidates.map((names) => find(names.slice(1)) ?? find(names) ?? names)
  })
  expect(listed.toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted())
})

test('the README, or a page to which it links, names every flag', () => {
  const flags = new Set(COMMANDS.flatMap((command) => command.flags.map(({ name }) => `--${name}`)))
  const pages = readdirSync(join(ROOT, 'scripts', 'deploy')).filter((name) => name.endsWith('.md'))
  const text = [
    README,
    ...pages.map((name) => readFileSync(join(ROOT, 'scripts', 'deploy', name), 'utf8')),
  ].join('\n')
  expect([...flags].filter((flag) => !new RegExp(`${flag}(?![a-z-])`).test(text))).toEqual([])
})

test('the README describes every file and folder directly in src, and no other', () => {
  const [, tree = ''] = /<!-- tree -->\n```\n([\s\S]*?)```/.exec(README) ?? []
  const [resources = ''] = /src\/<resource>\/[\s\S]*?(?=\nsrc\/)/.exec(tree) ?? []
  const isResource = (name: string) => existsSync(join(ROOT, 'src', name, 'routes.ts'))
  const names = [...tree.matchAll(/\bsrc\/([\w.-]+)/g)].map(([, name = '']) => name)
  const named = [...names, ...(resources.match(/[\w-]+/g) ?? []).filter(isResource)]
  expect(named.toSorted()).toEqual(readdirSync(join(ROOT, 'src')).toSorted())
})

test('the folders that the README names within others are there', () => {
  const [, tree = ''] = /<!-- tree -->\n```\n([\s\S]*?)```/.exec(README) ?? []
  const folders = tree.split('\n').flatMap((line) => {
    const [parent = '', description = ''] = line.split(/ {2,}/)
    return [...description.matchAll(/(?<= |^)[\w-]+\/(?=[ ,;]|$)/g)].map(([name]) => join(parent, name))
  })
  expect(folders.length).toBeGreaterThan(15)
  expect(folders.filter((folder) => !existsSync(join(ROOT, folder)))).toEqual([])
})

/** The names under which the headings of a Markdown file are linked. */
const headingsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'))

test('every link of the README leads somewhere', () => {
  const links = [...README.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, target = '']) => target)
  const isDead = (link: string) => {
    const [path = '', heading] = link.split('#')
    if (!existsSync(join(ROOT, path))) return true
    const text = path === '' ? README : heading === undefined ? '' : readFileSync(join(ROOT, path), 'utf8')
    return heading !== undefined && !headingsOf(text).includes(heading)
  }
  expect(links.filter(isDead)).toEqual([])
  const isDeadIn = (folder: string) => (link: string) => !existsSync(join(folder, link.replace(/#.*/, '')))
  const deploy = join(ROOT, 'scripts', 'deploy')
  for (const name of readdirSync(deploy).filter((file) => file.endsWith('.md'))) {
    const text = readFileSync(join(deploy, name), 'utf8')
    const further = [...text.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, target = '']) => target)
    expect(further.length).toBeGreaterThan(0)
    expect(further.filter(isDeadIn(deploy))).toEqual([])
  }
  const deployed = readdirSync(deploy).map((name) => `scripts/deploy/${name}`)
  expect(deployed.filter((path) => !links.includes(path))).toEqual([])
})

test('the pictures of the README are all of scripts/pictures, and small together', () => {
  const folder = 'scripts/pictures'
  const images = [...README.matchAll(/<img alt="([^"]*)" src="([^"]*)"/g)]
  const sources = [...README.matchAll(/ (?:src|srcset)="([^"]*)"/g)].map(([, path = '']) => path)
  const taken = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.webp'))
  expect(sources.toSorted()).toEqual(taken.map((name) => `${folder}/${name}`).toSorted())
  expect(images.length).toBe(README.split('<img').length - 1)
  expect(images.filter(([, alternative = '']) => alternative.length < 20)).toEqual([])
  const bytes = taken.reduce((sum, name) => sum + statSync(join(ROOT, folder, name)).size, 0)
  expect(bytes).toBeLessThanOrEqual(400 * 1024)
})

test('the packages contain every file to which the README links', async () => {
  const packed = (await documents()).map(({ path }) => path)
  const linked = [...README.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) => target)
  expect(linked.length).toBeGreaterThan(10)
  expect(linked.filter((link) => !packed.some((path) => `${path}/`.startsWith(`${link}/`)))).toEqual([])
})

test('the figures of the README are those of the results of the bench', async () => {
  const results = await Bun.file(join(ROOT, 'scripts', 'bench', 'results.md')).text()
  expect(tableUnder('Performance').length).toBe(8)
  expect(withHighlights(README, results)).toBe(README)
})
