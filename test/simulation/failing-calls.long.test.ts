import { expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { BEFORE, backedUpForEach, RESTORED } from '../support/backed-up.ts'
import { runInProcess } from '../support/cli.ts'
import { killedAtPoint } from '../support/kills.ts'

const made = backedUpForEach()
const OLD = resolve('test/upgrade/0.1.0.db.gz')

interface Attempt {
  readonly failed: string
  readonly ending: string
  readonly content: string
  readonly again: string
}

async function attempts(operation: string, source: string): Promise<Attempt[]> {
  const program = resolve('test/simulation/failing-calls.ts')
  const child = Bun.spawn([process.execPath, program, operation, source, made.backup, made.folder.path], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const out = await child.stdout.text()
  return out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const unpackOld = async (): Promise<string> => {
  const file = made.folder.file('old.db')
  await Bun.write(file, Bun.gunzipSync(await Bun.file(OLD).bytes()))
  return file
}

test.each([
  ['restore', [BEFORE.join(), RESTORED.join()], 10],
  ['copy', [BEFORE.join()], 5],
  ['upgrade', ['owner'], 5],
] as const)(
  'whichever call of the system fails, a %s leaves a whole database, says so, and works the next time',
  async (operation, contents, atLeast) => {
    const source = operation === 'upgrade' ? await unpackOld() : made.db
    const all = await attempts(operation, source)
    for (const { failed, ending, content, again } of all) {
      expect(contents as readonly string[]).toContain(content)
      expect([failed, ending]).toEqual([
        failed,
        expect.stringMatching(failed === '' ? /^done$/ : /^(?:done|refused)$/),
      ])
      expect(again).toBe('done')
    }
    expect(all.length).toBeGreaterThan(atLeast)
    expect(all.some(({ ending }) => ending === 'refused')).toBe(true)
  },
)

test.each([1, 20, 45])(
  'an upgrade killed after migration %i has changed nothing, and runs again',
  async (n) => {
    const file = await unpackOld()
    const before = await runInProcess(['upgrade', '--check', '--json', '--db', file])
    await killedAtPoint(
      n,
      'migration',
      `const { openWritingConnection } = await import(${JSON.stringify(resolve('src/storage/connection/open.ts'))})
     const { createLog } = await import(${JSON.stringify(resolve('src/lib/log.ts'))})
     const { systemClock: clock } = await import(${JSON.stringify(resolve('src/lib/clock.ts'))})
     const log = createLog('silent', clock, () => {})
     openWritingConnection({ file: ${JSON.stringify(file)}, programVersion: '9.9.9', clock, log, role: 'command' })`,
    )
    const after = await runInProcess(['upgrade', '--check', '--json', '--db', file])
    expect(JSON.parse(after.out).schema).toBe(JSON.parse(before.out).schema)
    expect(await runInProcess(['check', '--db', file])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  },
)
