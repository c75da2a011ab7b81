import { expect, test } from 'bun:test'
import { gzipSync } from 'bun'
import { ASSETS_PATH, buildApplication } from '../../src/http/web-app/build.ts'

/** 60 KB for the screen, and 3 KB for offline support. */
const MAX_BYTES = 63 * 1024

test('no rule of the style sheet has an old form of :is(), which weighs more than what was written', async () => {
  const styles = Object.entries(await buildApplication()).filter(([name]) => name.endsWith('.css'))
  expect(styles).toHaveLength(1)
  const [[, css = ''] = []] = styles
  expect(css).toMatch(/\.menu :is\(a,button\):not\(\.button\)\{/)
  expect(css).not.toContain('-any(')
})

test('the list of notes needs at most 63 KB of script and style, compressed, and the editor is none of it', async () => {
  const built = Object.entries(await buildApplication())
  // Fonts load in parallel, and the screen does not wait for them.
  const files = Object.fromEntries(built.map(([name, content]) => [name, `${content}`]))
  const needed = new Set<string>()
  const need = (name: string) => {
    if (needed.has(name)) return
    needed.add(name)
    const imports = (files[name] ?? '').matchAll(/(?:from|import)\s*"([^"]+)"/g)
    for (const [, path = ''] of imports)
      if (path.startsWith(ASSETS_PATH)) need(path.slice(ASSETS_PATH.length + 1))
  }
  for (const [, name = ''] of (files['index.html'] ?? '').matchAll(/(?:href|src)="\/app\/assets\/([^"]+)"/g))
    need(name)
  const notes = Object.keys(files).find((name) => files[name]?.includes('import("/app/assets/opened-note-'))
  need(notes ?? '')
  const bytes = [...needed].reduce((sum, name) => sum + gzipSync(files[name] ?? '', { level: 9 }).length, 0)
  expect([...needed].filter((name) => /code-mirror|opened-note/.test(name))).toEqual([])
  expect([...needed].some((name) => name.startsWith('screen-'))).toBe(true)
  expect([...needed].some((name) => name.startsWith('application-'))).toBe(true)
  expect(bytes).toBeLessThanOrEqual(MAX_BYTES)
  expect(bytes).toBeGreaterThan(MAX_BYTES / 2)
})

test('the parser of Markdown is in the worker of the preview alone: no page loads it', async () => {
  const holding = Object.entries(await buildApplication()).filter(([, content]) =>
    `${content}`.includes('blockTokens'),
  )
  expect(holding.map(([name]) => name.replace(/-\w+\.js$/, ''))).toEqual(['parts-worker'])
})
