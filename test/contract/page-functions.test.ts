import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '..', '..')

/** The source of a library, which is no function. */
const LIBRARY = 'AXE'

/** A text or a constant of one, where a function belongs. */
const TEXT =
  /\.(?:evaluate(?:Handle|OnNewDocument)?|waitForFunction)(?:<[^()]*>)?\(\s*(?:['"`]|([A-Z][A-Z_]*)[,)])/g

/** A wait whose condition is not written where it is awaited: a variable could hold a text. */
const NO_FUNCTION = /[\w\s)]\.waitForFunction(?:<[^()]*>)?\(\s*(?!\(|async\b)\S/g

test('pages run functions that the compiler checks, never texts of code', async () => {
  const found: string[] = []
  for await (const path of new Glob('{test,scripts}/**/*.ts').scan(ROOT)) {
    const text = await Bun.file(join(ROOT, path)).text()
    for (const [call, constant] of text.matchAll(TEXT))
      if (constant !== LIBRARY) found.push(`${path}: ${call}`)
    for (const [call] of text.matchAll(NO_FUNCTION)) found.push(`${path}: ${call}`)
  }
  expect(found).toEqual([])
})
