import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawn } from 'bun'
import { runInProcess } from '../support/cli.ts'
import { hasManyCases } from '../support/counts.ts'
import { program } from '../support/process.ts'
import { newVaultTest, type VaultTest } from '../support/vault.ts'

const NOTES = 1_500
/** The progress at which an import is killed, in percent. */
const MOMENTS = hasManyCases ? [0, 10, 20, 30, 40, 50, 60, 70, 80, 90] : [0, 40, 90]

let vault: VaultTest

beforeAll(async () => {
  vault = await newVaultTest()
  const body = `About [[Note 7]] and #tags in ![[picture.png]].\n${'Many words in a line.\n'.repeat(100)}`
  const notes = Array.from({ length: NOTES }, (_, at) => [
    `Note ${at}.md`,
    `---\nnumber: ${at}\n---\n${body}`,
  ])
  vault.write({ ...Object.fromEntries(notes), 'picture.png': new Uint8Array(2_000_000) })
})
afterAll(() => vault.remove())

const command = () => [...program('executable'), 'import', vault.path, '--db', vault.db]

/** Kills an import when it reports this progress; returns whether that was before its end. */
async function killAt(percent: number): Promise<boolean> {
  const child = spawn(command(), { env: {}, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  let said = ''
  const decoder = new TextDecoder()
  for await (const chunk of child.stderr) {
    said += decoder.decode(chunk, { stream: true })
    if (said.includes(`notes: ${percent}%`)) child.kill('SIGKILL')
  }
  await child.exited
  return child.signalCode === 'SIGKILL'
}

const counts = async () => (await vault.service().get('/v1/workspace')).body.workspace.counts

test('an import that is killed leaves nothing behind, and the next one succeeds', async () => {
  const before = await counts()
  for (const moment of MOMENTS) {
    expect([moment, await killAt(moment)]).toEqual([moment, true])
    expect(await counts()).toEqual(before)
    expect((await runInProcess(['check', '--db', vault.db])).out).toBe('ok\n')
  }
  const whole = spawn(command(), { env: {}, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
  expect(await whole.exited).toBe(0)
  expect(await counts()).toEqual({ ...before, notes: NOTES, files: 1, tags: 1, properties: 1 })
}, 120_000)
