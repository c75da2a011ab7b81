import { afterAll, expect, test } from 'bun:test'
import { readConfig } from '../../../src/config.ts'
import { urlError } from '../../../src/lib/addresses.ts'
import { newAuthority } from '../../support/certificates.ts'
import { runInProcess } from '../../support/cli.ts'
import { newFolder } from '../../support/process.ts'

const folder = newFolder()
afterAll(folder.remove)

test('targets are allowed by flags, or in the environment, separated by spaces or commas', () => {
  const byFlags = readConfig(
    { DAYBOOK_WEBHOOK_ALLOW: 'other' },
    { 'webhook-allow': ['box:81', '10.0.0.0/8'] },
  )
  const byEnvironment = readConfig({ DAYBOOK_WEBHOOK_ALLOW: 'box:81, 10.0.0.0/8' })
  for (const { webhookAllowlist } of [byFlags, byEnvironment]) {
    const urls = ['http://box:81/', 'http://10.1.2.3/', 'http://box/', 'http://other/']
    expect(urls.map((url) => urlError(url, webhookAllowlist) === undefined)).toEqual([
      true,
      true,
      false,
      false,
    ])
  }
  expect(readConfig({}).webhookAllowlist).toEqual([])
})

test('certificates are read from a file', async () => {
  const { cert } = await newAuthority()
  const file = folder.file('ca.pem')
  await Bun.write(file, cert)
  expect(readConfig({}, { 'webhook-ca': file }).webhookCa).toBe(cert)
  expect(readConfig({ DAYBOOK_WEBHOOK_CA: file }).webhookCa).toBe(cert)
  expect(readConfig({}).webhookCa).toBeUndefined()
})

test('a server does not start with an invalid file', async () => {
  const empty = folder.file('empty.pem')
  await Bun.write(empty, '')
  const broken = folder.file('broken.pem')
  await Bun.write(broken, '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n')
  for (const file of [empty, broken, folder.file('none.pem'), folder.path]) {
    expect(await runInProcess(['serve', '--webhook-ca', file])).toEqual({
      exitCode: 2,
      out: '',
      err: `--webhook-ca must be a file with certificates in PEM form; "${file}" is none.\nTry "daybook serve --help".\n`,
    })
  }
  expect(await runInProcess(['serve', '--webhook-allow', 'http://box'])).toEqual({
    exitCode: 2,
    out: '',
    err: '--webhook-allow must be a host, host:port, an address or a range such as 10.0.0.0/8, not "http://box".\nTry "daybook serve --help".\n',
  })
})
