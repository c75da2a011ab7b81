import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, symlinkSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BuiltApplication, BuiltFiles } from '../../src/http/web-app/build.ts'
import { newFolder } from '../support/process.ts'

/** The sources of the application and of its build. */
const SOURCES = ['src', 'package.json', 'tsconfig.json']

/** The files that a browser revalidates on every load. */
const ASKED_ANEW = ['index.html', 'worker.js']

/** A copy of the sources that tests can change. */
const folder = newFolder()
let buildApplication: () => Promise<BuiltApplication>
const build = async (): Promise<BuiltFiles> => (await buildApplication()).files

beforeAll(async () => {
  for (const path of SOURCES) cpSync(resolve(path), folder.file(path), { recursive: true })
  symlinkSync(resolve('node_modules'), folder.file('node_modules'))
  ;({ buildApplication } = await import(folder.file('src/http/web-app/build.ts')))
})
afterAll(() => folder.remove())

/** Builds with one text in a source file replaced. */
async function buildWith(path: string, from: string, to: string): Promise<BuiltFiles> {
  const source = folder.file(`src/web/${path}`)
  const text = await Bun.file(source).text()
  expect(text).toContain(from)
  await Bun.write(source, text.replace(from, to))
  const built = await build()
  await Bun.write(source, text)
  return built
}

test('a name never stands for two contents, so that permanent caching never shows an old file', async () => {
  const before = await build()
  expect(await build()).toEqual(before)
  for (const [path, from, to] of [
    ['pages/sign-in/sign-in.tsx', 'Choose a password', 'Choose another password'],
    ['components/icon.tsx', 'viewBox', 'data-changed="" viewBox'],
    ['pages/graph/layout-worker.ts', 'gravity: 1', 'gravity: 2'],
    ['styles/tokens.css', '--accent', '--changed: 1px; --accent'],
  ] as const) {
    const after = await buildWith(path, from, to)
    expect(Object.values(after).join()).not.toBe(Object.values(before).join())
    const common = Object.keys(after).filter((name) => !ASKED_ANEW.includes(name) && name in before)
    expect([path, common.filter((name) => !Bun.deepEquals(after[name], before[name]))]).toEqual([path, []])
    // The page leads to the changed files: every file that it or another file names exists.
    const named = Object.values(after).flatMap((text) => [
      ...`${text}`.matchAll(/(?:\/app\/assets|\.)\/([\w-]+-\w{8,}\.(?:js|css|woff2))\b/g),
    ])
    expect(named.map(([, name = '']) => name).filter((name) => !(name in after))).toEqual([])
  }
})
