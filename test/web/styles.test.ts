import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Glob } from 'bun'

const textOf = (pattern: string) =>
  [...new Glob(pattern).scanSync('src/web')]
    .filter((path) => !path.endsWith('.d.ts'))
    .map((path) => readFileSync(`src/web/${path}`, 'utf8'))
    .join('\n')

const styles = textOf('styles/*.css')
  .replaceAll(/\/\*[\s\S]*?\*\//g, '')
  // Removes parts of style sheets that are not rules.
  .replaceAll(/@import[^;]+;|@font-face \{[^}]*\}/g, '')
const classes = [...new Set([...styles.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name))]

/**
 * Class names from CodeMirror, from Markdown (the kind of a callout, the side of a column), from the ten hues, or
 * composed from parts.
 */
const isComposed = (name: string) => /^(cm|md|hue)-|^(right|center)$/.test(name)

test('each class that the styles know is one that the application gives', () => {
  const sources = textOf('**/*.{ts,tsx}')
  const isGiven = (name: string) => new RegExp(`['"\`\\s]${name}['"\`\\s]`).test(sources)
  expect(classes.length).toBeGreaterThan(100)
  expect(classes.filter((name) => !isComposed(name) && !isGiven(name))).toEqual([])
})

test('a class is a word, not its first letters', () => {
  expect(classes.filter((name) => name.length < 3 && name !== 'ok')).toEqual([])
})

test('the layers are named once, in the order in which they win, and no rule stands outside them', () => {
  const [named = [], ...others] = [...styles.matchAll(/@layer ([^{;]+);/g)].map(([, names = '']) =>
    names.split(', '),
  )
  expect(named).toEqual(['tokens', 'elements', 'controls', 'layout', 'pages', 'states'])
  expect(others).toEqual([])
  const opened = styles.matchAll(/^([^\s}][^{;}]*)\{/gm)
  expect([...new Set([...opened].map(([, block = '']) => block.trim()))].toSorted()).toEqual(
    named.map((name) => `@layer ${name}`).toSorted(),
  )
})
