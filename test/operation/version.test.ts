import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { buildVersion } from '../../scripts/lib/version.ts'
import { billOfMaterials } from '../../scripts/release/sbom.ts'
import { signedHeaders } from '../../src/log/message.ts'
import { daybook, newFolder } from '../support/process.ts'

const ROOT = join(import.meta.dir, '..', '..')
const { version: next } = await Bun.file(join(ROOT, 'package.json')).json()
const version = `${next}-dev`
/** A build names its commit, unless a tag says that it is the release. */
const BUILT = new RegExp(`^${RegExp.escape(next)}(?:-dev(?:\\.\\d+\\.g[0-9a-f]{10}(?:\\.d[0-9a-f]{8})?)?)?$`)

test('from the sources, the version is that of the next release with "-dev"', async () => {
  const { out } = await daybook(['version'], { how: 'source' })
  expect(out).toBe(`${version}\n`)
})

test('an executable has the version of a release, or one that names its commit', async () => {
  expect((await daybook(['version'])).out.trim()).toMatch(BUILT)
  expect(buildVersion()).toMatch(BUILT)
})

test('only a tagged commit without changes has the plain version, and no two other builds share one', async () => {
  const folder = newFolder()
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path }
  const git = (...args: string[]) => {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
    expect(Bun.spawnSync(['git', ...identity, ...args], { cwd: folder.path, env }).exitCode).toBe(0)
  }
  const module = JSON.stringify(join(ROOT, 'scripts', 'lib', 'version.ts'))
  const script = `process.stdout.write((await import(${module})).buildVersion())`
  const built = () =>
    Bun.spawnSync([process.execPath, '-e', script], { cwd: folder.path, env }).stdout.toString()
  const commit = () => git('commit', '--quiet', '--allow-empty', '--message', 'c')
  try {
    git('init', '--quiet')
    commit()
    const first = built()
    commit()
    const second = built()
    git('tag', `v${next}`)
    const released = built()
    await Bun.write(folder.file('a'), 'changed')
    const changed = built()
    expect(released).toBe(next)
    expect(new Set([first, second, released, changed]).size).toBe(4)
    for (const one of [first, second, changed]) {
      expect(one).toMatch(BUILT)
      expect(Bun.semver.order(one, next)).toBe(-1)
    }
  } finally {
    folder.remove()
  }
})

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

test('the changelog begins with the next version, or with what is not released, after an earlier version', async () => {
  const changelog = await Bun.file(join(ROOT, 'scripts', 'release', 'CHANGELOG.md')).text()
  const [newest = '', earlier = ''] = [...changelog.matchAll(/^## (.*)$/gm)].map(([, title = '']) => title)
  expect([next, 'Unreleased']).toContain(newest)
  expect(Bun.semver.order(earlier, next)).toBe(-1)
})

test('a release of the changelog has at most 60 lines, in three parts', async () => {
  const changelog = await Bun.file(join(ROOT, 'scripts', 'release', 'CHANGELOG.md')).text()
  const [, ...releases] = changelog.split(/^(?=## )/m)
  expect(releases.filter((release) => release.split('\n').length - 1 > 60)).toEqual([])
  const parts = [...changelog.matchAll(/^### (.*)$/gm)].map(([, part = '']) => part)
  expect(parts.filter((part) => !['Must know', 'New', 'Fixed'].includes(part))).toEqual([])
})

test('the pages name the files of the next version', async () => {
  for (const page of ['README.md', 'scripts/guide/install.md', 'scripts/guide/deploy.md']) {
    const text = await Bun.file(join(ROOT, page)).text()
    const named = [...text.matchAll(/daybook[-_:](\d+\.\d+\.\d+)/g)].map(([, one]) => one)
    expect([page, new Set(named)]).toEqual([page, new Set([next])])
  }
})
