import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { billOfMaterials } from '../../scripts/release/sbom.ts'
import { signedHeaders } from '../../src/delivery/message.ts'
import { daybook } from '../support/process.ts'

const ROOT = join(import.meta.dir, '..', '..')
const { version } = await Bun.file(join(ROOT, 'package.json')).json()

test.each(['source', 'executable'] as const)(
  '`daybook version`, from %s, prints the version of package.json',
  async (how) => {
    expect(await daybook(['version'], { how })).toEqual({ exitCode: 0, out: `${version}\n`, err: '' })
  },
)

test('deliveries name the version in User-Agent', () => {
  const delivery = {
    secrets: ['whsec_AAAA'],
    event: 'test',
    eventId: 'e',
    deliveryId: 'd',
    body: '{}',
    atMs: 0,
  }
  expect(signedHeaders(delivery)['User-Agent']).toBe(`daybook/${version}`)
})

test('the bill of materials names the version', async () => {
  const { metadata } = await billOfMaterials()
  expect(metadata.component).toMatchObject({ 'bom-ref': `pkg:generic/daybook@${version}`, version })
})

test('the changelog has a section for the version, below what is not released', async () => {
  const changelog = await Bun.file(join(ROOT, 'scripts', 'release', 'CHANGELOG.md')).text()
  const sections = [...changelog.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
  expect(sections.filter((title) => title !== 'Unreleased')[0]).toBe(version)
})
