import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { runInProcess } from '../support/cli.ts'
import { newFolder } from '../support/process.ts'
import { startService } from '../support/service.ts'

const ROOT = join(import.meta.dir, '..', '..')
const changelog = await Bun.file(join(ROOT, 'scripts', 'release', 'CHANGELOG.md')).text()
const RELEASED = [...changelog.matchAll(/^## (\d+\.\d+\.\d+\S*)/gm)].map(([, version = '']) => version)

/** A database that this version left, with its printed key and its API responses (`scripts/release/keep.ts`). */
interface Kept {
  key: string
  answers: Record<string, unknown>
}

const unpacked = async (name: string) => Bun.gunzipSync(await Bun.file(join(import.meta.dir, name)).bytes())

let folder: ReturnType<typeof newFolder>
let file: string

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
})
afterEach(() => folder.remove())

test('there is a stored database of every released version', () => {
  const kept = readdirSync(import.meta.dir).flatMap((name) => /^(\d+\.\d.*)\.json\.gz$/.exec(name)?.[1] ?? [])
  expect(RELEASED).toContain('0.1.0')
  expect(kept.toSorted()).toEqual(RELEASED.toSorted())
})

/** Removes the time of the key's last use, which has changed since. */
const comparable = (answer: unknown): object =>
  JSON.parse(JSON.stringify(answer).replace(/"last_used_at":"[^"]*",?/g, ''))

test.each(RELEASED)(
  'upgrades a database of %s: every response is complete, and the check finds no fault',
  async (version) => {
    await Bun.write(file, await unpacked(`${version}.db.gz`))
    const { key, answers }: Kept = JSON.parse(Buffer.from(await unpacked(`${version}.json.gz`)).toString())
    const report = JSON.parse((await runInProcess(['upgrade', '--check', '--json', '--db', file])).out)
    const service = await startService({ file })
    const client = service.as(key)
    expect(Object.keys(answers).length).toBeGreaterThan(15)
    for (const [path, answer] of Object.entries(answers)) {
      const { status, body } = await client.get(path)
      expect([path, status]).toEqual([path, 200])
      expect(body).toMatchObject(comparable(answer))
    }
    expect((await client.post('/v1/notes', { title: 'Written since' })).status).toBe(201)
    service.close()
    expect(report.schema <= report.known_schema).toBe(true)
    expect(await Bun.file(`${file}.before-${report.version}`).exists()).toBe(report.copy !== null)
    expect(await runInProcess(['check', '--db', file])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  },
)
