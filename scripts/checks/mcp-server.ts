import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { spawn, spawnSync } from 'bun'

export const DAYBOOK = resolve('dist/daybook')

/** A server process of the executable with a new database, which `end` removes. */
export interface McpServer {
  readonly url: string
  readonly key: string
  readonly db: string
  end(): Promise<void>
}

export async function startServer(): Promise<McpServer> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-mcp-'))
  const db = join(folder, 'daybook.db')
  const child = spawn([DAYBOOK, 'serve', '--db', db, '--port', '0', '--log-level', 'silent'], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const { value } = await child.stdout.getReader().read()
  const [url = ''] = /http:\S+/.exec(new TextDecoder().decode(value)) ?? []
  const created = spawnSync([DAYBOOK, 'keys', 'create', '--name', 'agent', '--db', db])
  return {
    url,
    key: created.stdout.toString().trim(),
    db,
    end: async () => {
      child.kill()
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
