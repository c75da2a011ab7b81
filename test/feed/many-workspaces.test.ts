import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInProcess } from '../support/cli.ts'
import { alter, stored } from '../support/database.ts'
import { startService } from '../support/service.ts'

test('a workspace beyond the 8,191st has its own log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-test-'))
  const service = await startService({ file: join(folder, 'daybook.db') })
  try {
    await alter(service, "UPDATE sqlite_sequence SET seq = 8190 WHERE name = 'workspaces'")
    const clients = [service]
    for (const name of ['A', 'B', 'C']) clients.push(service.as(await service.newWorkspace(name)) as never)
    const made: string[][] = clients.map(() => [])
    for (let round = 0; round < 3; round++)
      for (const [at, client] of clients.entries())
        made[at]?.push((await client.post('/v1/notes', { title: 'x' })).body.note.id)
    for (const [at, client] of clients.entries()) {
      const { changes } = (await client.get('/v1/changes')).body
      expect(changes.map(({ id }: { id: string }) => id)).toEqual(made[at])
    }
    const copy = join(folder, 'copy.db')
    expect(await runInProcess(['backup', copy, '--db', join(folder, 'daybook.db')])).toMatchObject({
      exitCode: 0,
    })
    expect(
      stored(copy, 'SELECT workspace, max(since) AS since FROM change_epochs GROUP BY workspace'),
    ).toEqual([1, 8_191, 8_192, 8_193].map((workspace) => ({ workspace, since: 3 })))
  } finally {
    service.close()
    rmSync(folder, { recursive: true })
  }
})
