import { beforeAll, expect, test } from 'bun:test'
import { type BuiltApplication, buildApplication } from '../../src/http/web-app/build.ts'

/*
 * The scripts that a page preloads. The bytes of whole visits, with fonts and answers of the API, are measured in
 * `test/browser/first-visit.test.ts`.
 */

let built: BuiltApplication
beforeAll(async () => {
  built = await buildApplication()
})

/** The parts of a screen, without the hashes of their names. */
const partsOf = (screen: string): string[] =>
  (built.needed[screen] ?? []).map((name) => name.replace(/-\w+\.js$/, '')).sort()

test('no rule of the style sheet has an old form of :is(), which weighs more than what was written', () => {
  const styles = Object.entries(built.files).filter(([name]) => name.endsWith('.css'))
  expect(styles).toHaveLength(1)
  const [[, css = ''] = []] = styles
  expect(css).toMatch(/\.menu :is\(a,button\):not\(\.button\)\{/)
  expect(css).not.toContain('-any(')
})

test('the form to sign in and the list of notes each need one file besides the application', () => {
  expect(partsOf('sign-in')).toEqual(['application', 'rolldown-runtime', 'sign-in'])
  expect(partsOf('notes')).toEqual(['application', 'list', 'rolldown-runtime'])
})

test('only an opened note needs the editor, and only a table the grid', () => {
  const screens = Object.keys(built.needed)
  expect(screens.length).toBeGreaterThan(10)
  expect(screens.filter((screen) => partsOf(screen).includes('tables'))).toEqual(['records'])
  expect(screens.filter((screen) => partsOf(screen).some((part) => /editor|codemirror/.test(part)))).toEqual([
    'note',
  ])
})

test('every script that is named exists, and a page needs at most 16 of them', () => {
  for (const [screen, names] of Object.entries(built.needed)) {
    expect([screen, names.filter((name) => !(name in built.files))]).toEqual([screen, []])
    expect([screen, names.length <= 16]).toEqual([screen, true])
  }
})

test('the parser of Markdown is in the worker of the preview alone: no page loads it', () => {
  const holding = Object.entries(built.files).filter(([, content]) => `${content}`.includes('blockTokens'))
  expect(holding.map(([name]) => name.replace(/-\w+\.js$/, ''))).toEqual(['parts-worker'])
})
