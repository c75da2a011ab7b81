import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { daybook, newFolder, startProcess } from '../support/process.ts'
import { newVaultTest, writeFiles } from '../support/vault.ts'

const HOSTILE = 'a\u001b]0;owned\u0007\u009b31m\u202egnp.md'

test('no command prints control characters of file names', async () => {
  const vault = await newVaultTest()
  try {
    vault.write({ [HOSTILE]: 'a\0b', 'ok\u001b[2J.md': '---\naliases: [ok, two]\n---\n#a' })
    writeFileSync(join(vault.path, 'esc\u001b[31m.bin'), 'x')
    for (const flags of [[], ['--json'], ['--skip-bad']]) {
      const { out, err } = await vault.run(...flags)
      expect(`${out}${err}`).toMatch(/\\u001b/)
      expect(`${out}${err}`).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u)
    }
    const missing = await daybook(['import', 'no\u001b[31mthing', '--db', vault.db])
    expect(missing.err).toContain('no\\u001b[31mthing')
  } finally {
    vault.remove()
  }
}, 60_000)

test('import --dry-run works beside a running server and changes nothing', async () => {
  const folder = newFolder()
  const vault = folder.file('vault')
  writeFiles(vault, { 'A.md': '[B](B.md) #tag', 'B.md': 'b', 'c.png': 'c' })
  // In the folder itself, as for users who import from their current directory.
  const db = join(vault, 'daybook.db')
  const server = await startProcess(db)
  try {
    const before = await server.get('/v1/workspace')
    const refused = await daybook(['import', vault, '--db', db])
    expect([refused.exitCode, refused.err]).toEqual([
      1,
      'A server is running on this database; stop it before you import.\n',
    ])
    const { exitCode, out } = await daybook(['import', vault, '--dry-run', '--json', '--db', db])
    expect([exitCode, JSON.parse(out)]).toMatchObject([
      0,
      { counts: { notes: 2, files: 1, tags: 1, links_rewritten: 1 }, written: false },
    ])
    expect((await server.get('/v1/workspace')).body).toEqual(before.body)
    expect((await server.post('/v1/notes', { title: 'Still writable' })).status).toBe(201)
  } finally {
    await server.end()
    folder.remove()
  }
}, 60_000)
