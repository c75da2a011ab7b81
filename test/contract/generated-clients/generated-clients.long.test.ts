import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { hasManyCases } from '../../support/counts.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../../support/process.ts'
import * as programs from './programs.ts'

/*
 * Tests clients that public generators create from the document against a server. The generators are installed from
 * their registries into a temporary folder.
 */

interface Generator {
  readonly name: string
  /** The second generator of its language, which runs with the full counts only. */
  readonly isSecond?: true
  /** Required installed programs. */
  readonly needs: readonly string[]
  readonly files: Readonly<Record<string, string>>
  /** Commands, run in the folder of the generator; the last one runs the program. */
  readonly commands: readonly (readonly string[])[]
}

const BUN = process.execPath
const NPM = ['npm', 'install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts']
const PIP = ['venv/bin/pip', 'install', '--quiet']
const VENV = ['python3', '-m', 'venv', 'venv']
const TYPESCRIPT = resolve('node_modules/openapi-typescript/bin/cli.js')
const JAR = 'openapi-generator-cli-7.25.0.jar'
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
const COPY_ARTIFACT = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'

const GENERATORS: readonly Generator[] = [
  {
    name: 'openapi-python-client',
    needs: ['python3'],
    files: { 'use.py': programs.OPENAPI_PYTHON_CLIENT },
    commands: [
      VENV,
      [...PIP, 'openapi-python-client==0.26.2'],
      [
        ...['venv/bin/openapi-python-client', 'generate', '--path', '../openapi.json'],
        ...['--meta', 'none', '--output-path', 'daybook_client'],
      ],
      ['venv/bin/python', 'use.py'],
    ],
  },
  {
    name: 'openapi-generator for Python, without webhooks',
    isSecond: true,
    needs: ['python3', 'java', 'mvn'],
    files: { 'use.py': programs.OPENAPI_GENERATOR },
    commands: [
      VENV,
      [
        ...['mvn', '-q', '-B', COPY_ARTIFACT, '-DoutputDirectory=.'],
        '-Dartifact=org.openapitools:openapi-generator-cli:7.25.0',
      ],
      ['java', '-jar', JAR, 'generate', '-g', 'python', '-i', '../without-webhooks.json', '-o', '.'],
      [...PIP, '-r', 'requirements.txt'],
      ['venv/bin/python', 'use.py'],
    ],
  },
  {
    name: 'oapi-codegen',
    needs: ['go'],
    files: { 'main.go': programs.OAPI_CODEGEN },
    commands: [
      ['mkdir', 'daybook'],
      [
        ...['go', 'run', OAPI_CODEGEN, '-generate', 'types,client', '-package', 'daybook'],
        ...['-o', 'daybook/daybook.go', '../openapi.json'],
      ],
      ['go', 'mod', 'init', 'example.com/use'],
      ['go', 'mod', 'tidy'],
      ['go', 'run', '.'],
    ],
  },
  {
    name: 'openapi-fetch',
    needs: ['npm'],
    files: { 'use.ts': programs.OPENAPI_FETCH, 'package.json': '{}' },
    commands: [
      [...NPM, 'openapi-fetch@0.17.0'],
      [BUN, TYPESCRIPT, '../openapi.json', '--output', 'daybook.ts'],
      [BUN, 'use.ts'],
    ],
  },
  {
    name: 'orval',
    isSecond: true,
    needs: ['npm'],
    files: {
      'use.ts': programs.ORVAL,
      'package.json': '{}',
      'orval.config.mjs':
        "export default { daybook: { input: '../openapi.json', output: { target: './daybook.ts', client: 'fetch', mode: 'single', baseUrl: { runtime: 'process.env.DAYBOOK_URL' } } } }",
    },
    commands: [
      [...NPM, 'orval@8.38.0'],
      ['npx', '--no-install', 'orval'],
      [BUN, 'use.ts'],
    ],
  },
]

/** The generators of this run. Each downloads, and compiles or starts, a whole tool chain. */
const chosen = GENERATORS.filter(({ isSecond }) => hasManyCases || !isSecond)

let server: ServerProcess
const folder = newFolder()
const running = new Map<string, Promise<string>>()

const missingFor = ({ needs }: Generator) => needs.filter((tool) => Bun.which(tool) === null)

/** Runs the commands in order; returns the output of the last one. */
async function use({ name, files, commands }: Generator): Promise<string> {
  const cwd = folder.file(name.replace(/\W+/g, '-'))
  mkdirSync(cwd)
  for (const [file, text] of Object.entries(files)) await Bun.write(join(cwd, file), text)
  const env = { ...Bun.env, DAYBOOK_URL: server.url, DAYBOOK_KEY: server.key }
  let printed = ''
  for (const command of commands) {
    const child = Bun.spawn([...command], { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${out}${err}`)
    printed = out
  }
  return printed
}

beforeAll(async () => {
  const db = folder.file('daybook.db')
  server = await startProcess(db)
  await Bun.write(folder.file('hello.txt'), 'hello')
  await daybook(['files', 'add', folder.file('hello.txt'), '--db', db])
  for (const [name, path] of [
    ['openapi.json', '/openapi.json'],
    ['without-webhooks.json', '/openapi.json?webhooks=false'],
  ] as const)
    await Bun.write(folder.file(name), await (await fetch(`${server.url}${path}`)).text())
  // Most of the time is spent waiting for the registries, so the generators run concurrently.
  for (const generator of chosen) {
    if (missingFor(generator).length > 0) continue
    const printed = use(generator)
    printed.catch(() => {})
    running.set(generator.name, printed)
  }
})
afterAll(async () => {
  await Promise.allSettled(running.values())
  await server.end()
  folder.remove()
})

for (const generator of chosen) {
  const missing = missingFor(generator)
  const why = missing.length > 0 ? ` (not run: ${missing.join(' and ')} not installed)` : ''
  test.skipIf(missing.length > 0)(
    `a client generated by ${generator.name} writes and reads objects of the server${why}`,
    async () => {
      expect(JSON.parse((await running.get(generator.name)) ?? '')).toEqual([
        'Made',
        true,
        'Changed',
        'ready',
      ])
    },
    300_000,
  )
}
