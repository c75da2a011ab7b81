import { afterAll, expect, test } from 'bun:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { spawn, which } from 'bun'
import { runInProcess } from '../support/cli.ts'
import { newFolder, startProcess } from '../support/process.ts'
import { until } from '../support/webhooks.ts'
import { freePort } from './deploy.ts'

/* Backups in S3-compatible stores of others. A store that is not on the path is not tested. */

const folder = newFolder()
/** The only ones that s3rver takes; it verifies the signatures of requests. */
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' }

const STORES = {
  s3rver: (port: number) => {
    const place = ['-d', folder.file('s3rver'), '--configure-bucket', 'backups']
    return ['s3rver', '-a', '127.0.0.1', '-p', String(port), ...place]
  },
  moto_server: (port: number) => ['moto_server', '-H', '127.0.0.1', '-p', String(port)],
}

const stops: (() => void)[] = []
afterAll(() => {
  for (const stop of stops) stop()
  folder.remove()
})

async function startStore(name: keyof typeof STORES): Promise<string | undefined> {
  const port = freePort()
  const [command = '', ...args] = STORES[name](port)
  const executable = which(command)
  if (executable === null) return undefined
  const child = spawn([executable, ...args], { stdout: 'ignore', stderr: 'ignore' })
  stops.push(() => child.kill())
  const url = `http://127.0.0.1:${port}`
  const created = () => fetch(`${url}/backups`, { method: 'PUT' }).then(() => true)
  await until(() => created().catch(() => false))
  return url
}

test.each(Object.keys(STORES) as (keyof typeof STORES)[])(
  '%s keeps encrypted backups and every commit, and restores them',
  async (name) => {
    const url = await startStore(name)
    if (url === undefined) {
      process.stderr.write(`${name} is not installed: no backup is kept there.\n`)
      return
    }
    const bucket = `s3://backups/${name}`
    const env = { ...CREDENTIALS, DAYBOOK_BACKUP_ENDPOINT: url }
    const identity = await generateX25519Identity()
    await Bun.write(folder.file('identity.txt'), identity)
    const target = ['--backup-dir', bucket, '--backup-recipient', await identityToRecipient(identity)]
    const drill = ['--backup-drill', '7d', '--backup-identity', folder.file('identity.txt')]
    const args = [...target, ...drill, '--backup-stream', '--backup-keep', '1', '--log-level', 'info']
    const file = folder.file(`${name}.db`)
    const first = await startProcess(file, { args, env })
    await until(() => first.err().includes('backup drill passed'))
    await first.post('/v1/notes', { title: 'Before' })
    await first.end()
    const server = await startProcess(file, { args, env, key: first.key })
    const listed = async () =>
      JSON.parse((await runInProcess(['backups', 'list', bucket, '--json'], { env })).out).backups
    await until(async () => server.err().includes('backup made') && (await listed()).length === 1)
    await server.post('/v1/notes', { title: 'After', content: 'x'.repeat(500_000) })
    await until(async () => /^daybook_backup_lag_seconds\{.*\} 0$/m.test((await server.get('/metrics')).body))
    expect(await server.end('SIGKILL')).toBe(null)
    const restored = folder.file(`${name}-restored.db`)
    const how = ['--db', restored, '--identity', folder.file('identity.txt')]
    expect((await runInProcess(['restore', bucket, ...how], { env })).exitCode).toBe(0)
    const again = await startProcess(restored, { key: first.key })
    const { body } = await again.get('/v1/notes?sort=title')
    expect(body.notes.map(({ title }: { title: string }) => title)).toEqual(['After', 'Before'])
    await again.end()
  },
  180_000,
)
