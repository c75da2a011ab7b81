import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from '../support/process.ts'
import { startService } from '../support/service.ts'

const ROOT = join(import.meta.dir, '..', '..')
let folder: ReturnType<typeof newFolder>

beforeAll(async () => {
  folder = newFolder()
  symlinkSync(join(ROOT, 'node_modules'), folder.file('node_modules'))
  const service = await startService()
  const { body } = await service.as(undefined).get('/openapi.json')
  await Bun.write(folder.file('openapi.json'), JSON.stringify(body))
  service.close()
})
afterAll(() => folder.remove())

/** Disables the linter's update check and telemetry. */
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

/** Runs a tool of the project in the temporary folder; returns its exit code and full output. */
async function run(tool: string, ...args: string[]) {
  const command = [process.execPath, join(ROOT, 'node_modules', tool), ...args]
  const child = Bun.spawn(command, {
    cwd: folder.path,
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...Bun.env, ...QUIET },
  })
  const said = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exitCode: await child.exited, said: said.join('') }
}

/** Rules with findings that are accepted: some paths have a literal segment where another path has a parameter. */
const FORCED = new Set(['no-ambiguous-paths'])

/** A program in the style of a user of the generated types. */
const PROGRAM = `
import type { components, paths } from './client.ts'

type Json<Body> = Body extends { content: { 'application/json': infer Value } } ? Value : never

const body: Json<paths['/v1/notes']['post']['requestBody']> = { title: 'Tea', tags: ['home'], alias: null }
const query: paths['/v1/notes']['get']['parameters']['query'] = { sort: 'title', direction: 'asc', limit: 20 }

async function call<Answer>(path: string, init?: RequestInit): Promise<Answer> {
  return (await fetch(path, init)).json()
}

export async function tour() {
  type Created = Json<paths['/v1/notes']['post']['responses'][201]>
  type Listed = Json<paths['/v1/notes']['get']['responses'][200]>
  const { note, properties_error } = await call<Created>('/v1/notes', { body: JSON.stringify(body) })
  const { notes, total, has_more } = await call<Listed>('/v1/notes?sort=' + query?.sort)
  const error: components['schemas']['Error'] = { error: 'No.', code: 'name_taken' }
  const titles: string[] = notes.map(({ title, alias }) => alias ?? title)
  const why: string | undefined = properties_error?.error
  const more: [number, boolean] = [total, has_more]
  return { id: note.id.length, snippet: note.snippet?.length, titles, why, more, error }
}

// @ts-expect-error a title is required
export const withoutTitle: typeof body = { content: 'x' }
// @ts-expect-error there is no such order
export const wrongOrder: typeof query = { sort: 'colour' }
// @ts-expect-error there is no such code
export const wrongCode: components['schemas']['Error']['code'] = 'oops'
`

describe('the OpenAPI document', () => {
  test('passes the recommended rules of a public linter', async () => {
    const { said } = await run(
      '@redocly/cli/bin/cli.js',
      'lint',
      'openapi.json',
      '--format=json',
      '--extends=recommended',
    )
    const report = JSON.parse(said.slice(said.indexOf('{\n'), said.lastIndexOf('}') + 1))
    const problems = report.problems as { ruleId: string; message: string }[]
    expect(problems.filter(({ ruleId }) => !FORCED.has(ruleId))).toEqual([])
    expect(report.totals.errors).toBe(0)
  }, 180_000)

  test('generates a client whose types accept right use and refuse wrong use', async () => {
    const generated = await run('openapi-typescript/bin/cli.js', 'openapi.json', '--output', 'client.ts')
    expect(generated.exitCode).toBe(0)
    await Bun.write(folder.file('program.ts'), PROGRAM)
    const strictly = [
      '--strict',
      '--noEmit',
      '--allowImportingTsExtensions',
      '--noUncheckedIndexedAccess',
      '--skipLibCheck',
    ]
    const { said } = await run(
      'typescript/bin/tsc',
      ...strictly,
      '--target',
      'ESNext',
      '--module',
      'ESNext',
      '--moduleResolution',
      'bundler',
      'program.ts',
    )
    expect(said).toBe('')
  }, 180_000)
})
