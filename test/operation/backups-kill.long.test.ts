import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { runInProcess } from '../support/cli.ts'
import { killedAtPoint } from '../support/kills.ts'
import { newFolder, startProcess } from '../support/process.ts'
import { until } from '../support/webhooks.ts'

test('a backup killed after any step is complete or absent, and the next start removes its remains', async () => {
  const folder = newFolder()
  const db = folder.file('daybook.db')
  await runInProcess(['serve', '--port', '0', '--log-level', 'silent', '--db', db])
  for (const step of [1, 2, 3, 4]) {
    const dir = folder.file(`backups-${step}`)
    mkdirSync(dir)
    const before = readFileSync(db)
    const name = `daybook-2026-11-2${step}T093000Z.db`
    await killedAtPoint(
      step,
      'copy',
      `const { Database } = await import('bun:sqlite')
       const { copyVerified } = await import(${JSON.stringify(resolve('src/storage/copy.ts'))})
       const database = new Database(${JSON.stringify(db)}, { readonly: true })
       copyVerified(database, ${JSON.stringify(`${dir}/${name}`)})`,
    )
    expect(readdirSync(dir)).toEqual([step < 4 ? expect.stringMatching(/\.db\.partial-\d+$/) : name])
    expect(readFileSync(db)).toEqual(before)
    const args = ['--backup-dir', dir, '--backup-every', '9999d']
    const server = await startProcess(db, { args, key: 'none' })
    const made = () => readdirSync(dir).filter((left) => left.endsWith('.db'))
    await until(() => made().length === 1)
    await server.end()
    expect(readdirSync(dir)).toEqual([step < 4 ? expect.not.stringContaining(name) : name])
    for (const left of made())
      expect((await runInProcess(['check', '--db', `${dir}/${left}`])).out).toBe('ok\n')
  }
  folder.remove()
}, 60_000)
