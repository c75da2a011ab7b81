import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { GENERATED_PAGES, withReference } from '../../scripts/dev/reference.ts'
import { documents } from '../../scripts/release/packages/documents.ts'
import { COMMANDS } from '../../src/cli/run.ts'
import { anchorOf, GUIDE_PAGES } from '../../src/http/docs/guide/pages.ts'
import { runInProcess } from '../support/cli.ts'
import { DOCUMENTATION, type DocumentationPage, ROOT } from '../support/documentation.ts'

const guide = (slug: string) => GUIDE_PAGES.find((page) => page.slug === slug)?.text ?? ''

test('the guide has every page of its folder', () => {
  const files = readdirSync(join(ROOT, 'scripts', 'guide')).filter((name) => name !== 'pictures')
  expect(files.toSorted()).toEqual(GUIDE_PAGES.map(({ slug }) => `${slug}.md`).toSorted())
})

test('no page has the name of a command or of a group of commands', () => {
  const words = new Set(COMMANDS.flatMap(({ name }) => [name, name.split(' ')[0]]))
  expect(GUIDE_PAGES.filter(({ slug }) => words.has(slug))).toEqual([])
})

test.each(Object.entries(GENERATED_PAGES))('%s is what the command line declares', async (path, generate) => {
  const page = await Bun.file(join(ROOT, path)).text()
  expect(withReference(page, generate())).toBe(page)
  expect(generate().length).toBeGreaterThan(1_000)
})

test('every endpoint that the documentation names exists', async () => {
  const { out } = await runInProcess(['openapi'])
  const { paths }: { paths: Record<string, object> } = JSON.parse(out)
  const known = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{}')}`),
  )
  const named = DOCUMENTATION.flatMap(({ text }) =>
    [...text.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/v1[^`?]*)/g)].map(([, name = '']) => name),
  )
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((name) => !known.includes(name.replaceAll(/\{\w+\}/g, '{}')))).toEqual([])
})

const headingsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))

const linksOf = (text: string) =>
  [...text.matchAll(/\]\((?!https?:)([^()\s]+)\)/g)].map(([, target = '']) => target)

function isDead({ path, text }: DocumentationPage, link: string): boolean {
  const [target = '', anchor] = link.split('#')
  const file = target === '' ? path : join(dirname(path), target)
  if (!existsSync(join(ROOT, file))) return true
  if (anchor === undefined) return false
  const linked = target === '' ? text : (DOCUMENTATION.find((page) => page.path === file)?.text ?? '')
  return !headingsOf(linked).includes(anchor)
}

test('every link leads to a file and a heading', () => {
  const links = DOCUMENTATION.flatMap((page) => linksOf(page.text).map((link) => ({ page, link })))
  expect(links.length).toBeGreaterThan(50)
  const dead = links.filter(({ page, link }) => isDead(page, link))
  expect(dead.map(({ page, link }) => `${page.path}: ${link}`)).toEqual([])
})

test('the packages contain every file that the documentation links to, and every page', async () => {
  const packed = (await documents()).map(({ path }) => path)
  const linked = DOCUMENTATION.flatMap(({ path, text }) =>
    linksOf(text).map((link) => join(dirname(path), link.replace(/#.*/, ''))),
  )
  const needed = [...linked, ...DOCUMENTATION.map(({ path }) => path)].filter((path) => /\.\w+$/.test(path))
  expect(needed.filter((path) => !packed.includes(path))).toEqual([])
})

test('every configuration of scripts/deploy is linked from the guide', () => {
  const linked = DOCUMENTATION.flatMap(({ path, text }) =>
    linksOf(text).map((link) => join(dirname(path), link)),
  )
  const files = readdirSync(join(ROOT, 'scripts', 'deploy'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1))
  expect(files.filter((file) => !linked.includes(file))).toEqual([])
})

test('a sentence of the guide has at most 25 words', () => {
  const prose = GUIDE_PAGES.filter(({ slug }) => slug !== 'commands').flatMap(({ slug, text }) =>
    text
      .replace(/^ *```[\s\S]*?^ *```/gm, '')
      .split('\n')
      .filter((line) => !/^[|#<]/.test(line))
      .flatMap((line) => line.split(/(?<=[.:;?!]) /))
      .map((sentence) => ({ slug, sentence, words: sentence.split(/\s+/).length })),
  )
  expect(prose.filter(({ words }) => words > 25)).toEqual([])
})

test('decisions are numbered without gaps, and begin with their number', async () => {
  const folder = join(ROOT, 'scripts', 'decisions')
  const names = readdirSync(folder).toSorted()
  for (const [at, name] of names.entries()) {
    const number = String(at + 1).padStart(4, '0')
    expect(name).toStartWith(`${number}-`)
    expect(await Bun.file(join(folder, name)).text()).toStartWith(`# ${number}: `)
  }
  expect(names.length).toBeGreaterThan(15)
})

const tree = () => /<!-- tree -->\n```\n([\s\S]*?)```/.exec(guide('code'))?.[1] ?? ''

test('the guide describes every file and folder directly in src, and no other', () => {
  const named = [...tree().matchAll(/\bsrc\/([\w.-]+)/g)].map(([, name = '']) => name)
  expect(named.toSorted()).toEqual(readdirSync(join(ROOT, 'src')).toSorted())
})

test('the folders that the guide names within others exist', () => {
  let parent = ''
  const folders = tree()
    .split('\n')
    .flatMap((line) => {
      const [name = '', description = ''] = line.split(/ {2,}/)
      // A description may span several lines.
      if (name !== '') parent = name
      return [...description.matchAll(/(?<= |^)[\w-]+\/(?=[ ,;]|$)/g)].map(([folder]) => join(parent, folder))
    })
  expect(folders.length).toBeGreaterThan(15)
  expect(folders.filter((folder) => !existsSync(join(ROOT, folder)))).toEqual([])
})
