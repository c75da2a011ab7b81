import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newAuthority } from '../support/certificates.ts'
import { daybook, newFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

/* A daybook behind a proxy with a certificate from a private authority. */

const folder = newFolder()
let service: TestService
let proxy: ReturnType<typeof Bun.serve>
let url: string
let ca: string

beforeAll(async () => {
  service = await startService()
  await service.post('/v1/records/structures', { name: 'Books', fields: [{ key: 'title', type: 'text' }] })
  const authority = await newAuthority()
  const tls = await authority.certify(['127.0.0.1'])
  proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls,
    // Like a proxy that terminates TLS.
    fetch: (request) => service.app.fetch(new Request(request.url.replace('https:', 'http:'), request)),
  })
  url = `https://127.0.0.1:${proxy.port}`
  ca = folder.file('ca.pem')
  await Bun.write(ca, authority.cert)
})
afterAll(async () => {
  await proxy.stop(true)
  service.close()
  folder.remove()
})

const run = (args: string[], env: Record<string, string> = {}) =>
  daybook(args, { env: { DAYBOOK_KEY: service.key ?? '', ...env } })

test.each([
  ['mirror', (file: string) => ['mirror', url, '--once', '--db', file]],
  ['types', () => ['types', '--url', url]],
  ['listen', () => ['listen', '--url', url, '--structure', 'Books', '--print']],
])(
  'names the flag that trusts the authority where %s does not trust it',
  async (_, argsOf) => {
    const { exitCode, err } = await run(argsOf(folder.file('none.db')))
    expect([exitCode, err]).toEqual([1, expect.stringContaining('--ca <file>')])
  },
  30_000,
)

test('trusts the authority that --ca or DAYBOOK_CA names', async () => {
  const file = folder.file('mirror.db')
  const copied = await run(['mirror', url, '--once', '--db', file, '--ca', ca])
  expect([copied.exitCode, copied.err]).toEqual([0, expect.stringContaining('can be read with this key')])
  const verified = await run(['mirror', 'verify', '--db', file], { DAYBOOK_CA: ca })
  expect([verified.exitCode, verified.out + verified.err]).toEqual([0, expect.stringContaining('identical')])
  expect((await run(['types', '--url', url, '--ca', ca])).out).toContain('Books')
  const writable = await run(['mirror', url, '--once', '--writable', '--db', folder.file('w.db'), '--ca', ca])
  expect(writable.err).toContain('can be read and written with this key')
}, 60_000)
