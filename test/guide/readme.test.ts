import { expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { withHighlights } from '../../scripts/bench/results.ts'
import { DOCUMENTATION, ROOT } from '../support/documentation.ts'

const README = DOCUMENTATION[0]?.text ?? ''

test('the README has at most 9 KB', () => {
  expect(Buffer.byteLength(README)).toBeLessThanOrEqual(9_000)
})

test('the pictures of the README are all of scripts/pictures, and small together', () => {
  const folder = 'scripts/pictures'
  const images = [...README.matchAll(/<img alt="([^"]*)" src="([^"]*)"/g)]
  const sources = [...README.matchAll(/ (?:src|srcset)="([^"]*)"/g)].map(([, path = '']) => path)
  const taken = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.webp'))
  expect(sources.toSorted()).toEqual(taken.map((name) => `${folder}/${name}`).toSorted())
  expect(images.length).toBe(README.split('<img').length - 1)
  expect(images.filter(([, alternative = '']) => alternative.length < 20)).toEqual([])
  const bytes = taken.reduce((sum, name) => sum + statSync(join(ROOT, folder, name)).size, 0)
  expect(bytes).toBeLessThanOrEqual(400 * 1024)
})

test('the README links every page of the guide', () => {
  const pages = DOCUMENTATION.slice(1).map(({ path }) => path)
  expect(pages.filter((path) => !README.includes(`](${path}`))).toEqual([])
})

test('the figures of the README are those of the results of the bench', async () => {
  const results = await Bun.file(join(ROOT, 'scripts', 'bench', 'results.md')).text()
  const [, table = ''] = /<!-- performance -->\n([\s\S]*?)<!-- end/.exec(README) ?? []
  expect(table.trim().split('\n').length).toBe(10)
  expect(withHighlights(README, results)).toBe(README)
})
