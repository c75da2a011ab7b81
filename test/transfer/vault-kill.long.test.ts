import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runInProcess } from '../support/cli.ts'
import { hasManyCases } from '../support/counts.ts'
import { killWhen } from '../support/kills.ts'
import { daybook, startCommand } from '../support/process.ts'
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

const counts = async () => (await vault.service().get('/v1/workspace')).body.workspace.counts

test('an import that is killed leaves nothing behind, and the next one succeeds', async () => {
  const before = await counts()
  const args = ['import', vault.path, '--db', vault.db]
  for (const moment of MOMENTS) {
    const command = startCommand(args)
    expect([moment, await killWhen(command, command.err.until(RegExp(`notes: ${moment}%`)))]).toEqual([
      moment,
      true,
    ])
    expect(await counts()).toEqual(before)
    expect((await runInProcess(['check', '--db', vault.db])).out).toBe('ok\n')
  }
  expect((await daybook(args)).exitCode).toBe(0)
  expect(await counts()).toEqual({ ...before, notes: NOTES, files: 1, tags: 1, properties: 1 })
}, 120_000)
