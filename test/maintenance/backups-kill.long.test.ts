import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { runInProcess } from '../support/cli.ts'
import { newFolder, startProcess } from '../support/process.ts'

let folder: ReturnType<typeof newFolder>

beforeEach(() => {
  folder = newFolder()
})
afterEach(() => folder.remove())

/** Copies the database as a backup does, in a process that kills itself after this many steps. */
async function copyUntil(step: number, db: string, target: string): Promise<void> {
  const script = `
    const { Database } = await import('bun:sqlite')
    const { copyVerified } = await import(${JSON.stringify(resolve('src/db/copy.ts'))})
    let left = ${step}
    copyVerified(new Database(${JSON.stringify(db)}, { readonly: true }), ${JSON.stringify(target)}, {
      onStep: () => {
        if (--left === 0) process.kill(process.pid, 'SIGKILL')
      },
    })`
  const child = Bun.spawn([process.execPath, '-e', script], { stderr: 'pipe' })
  expect(await child.stderr.text()).toBe('')
  await child.exited
  expect(child.signalCode).toBe('SIGKILL')
}

test('killed after any step, a backup is whole or not there, and the next start removes what is left of it', async () => {
  const db = folder.file('daybook.db')
  await runInProcess(['serve', '--port', '0', '--log-level', 'silent', '--db', db])
  const before = readFileSync(db)
  const dir = folder.file('b')
  mkdirSync(dir)
  for (const step of [1, 2, 3, 4]) {
    const name = `daybook-2026-11-2${step}T093000Z.db`
    await copyUntil(step, db, `${dir}/${name}`)
    expect(readdirSync(dir)).toEqual([step < 4 ? expect.stringMatching(/\.db\.partial-\d+$/) : name])
    expect(readFileSync(db)).toEqual(before)
    const server = await startProcess(db, {
      args: ['--backup-dir', dir, '--backup-every', '9999d'],
      key: 'none',
    })
    const ofServer = () => readdirSync(dir).filter((left) => left !== name)
    if (step < 4) while (!ofServer().some((left) => left.endsWith('.db'))) await Bun.sleep(20)
    await server.end()
    expect(readdirSync(dir).some((left) => left.startsWith(`${name}.partial`))).toBe(false)
    for (const left of readdirSync(dir).filter((file) => file.endsWith('.db'))) {
      expect(await runInProcess(['check', '--db', `${dir}/${left}`])).toEqual({
        exitCode: 0,
        out: 'ok\n',
        err: '',
      })
      await Bun.$`rm -f ${dir}/${left}`.quiet()
    }
    for (const left of readdirSync(dir)) await Bun.$`rm -f ${dir}/${left}`.quiet()
    writeFileSync(db, before)
  }
}, 60_000)
