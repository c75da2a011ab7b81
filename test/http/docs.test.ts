import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { VERSION } from '../../src/lib/version.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const read = async (path: string) => {
  const { status, headers, body } = await service.as(undefined).get(path)
  expect(status).toBe(200)
  return { headers, text: body as string }
}

const sourcesIn = (page: string) =>
  [...page.matchAll(/(?:src|href|url)\s*[=:]\s*["']([^"']*)["']/g)].map(([, url]) => url ?? '')

describe('/docs', () => {
  test('names nothing that is not on this server', async () => {
    const page = await read('/docs')
    const start = await read('/docs/start.js')
    const named = [...sourcesIn(page.text), ...sourcesIn(start.text)]
    expect(named.sort()).toEqual([
      '/docs/guide',
      '/docs/start.js',
      '/docs/viewer.css',
      '/docs/viewer.js',
      '/openapi.json',
      '/openapi.json',
      'data:,',
    ])
    expect(`${page.text}${start.text}`).not.toMatch(/https?:|\/\/[a-z]/)
    for (const path of named.filter((name) => name.startsWith('/'))) await read(path)
  })

  test('shows the version of the program beside that of the API', async () => {
    expect((await read('/docs')).text).toContain(`Served by daybook ${VERSION}.`)
  })

  test('lets the browser load nothing from elsewhere', async () => {
    for (const path of ['/docs', '/docs/start.js', '/docs/viewer.js', '/docs/viewer.css']) {
      const { headers } = await read(path)
      const policy = headers.get('content-security-policy') ?? ''
      const sources = policy.split('; ').flatMap((directive) => directive.split(' ').slice(1))
      const own = 'localhost/docs/'
      expect([...new Set(sources)].sort()).toEqual(["'none'", "'self'", "'unsafe-inline'", 'data:', own])
      expect(policy).toStartWith(`default-src 'none'; script-src ${own}; `)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
  })

  test('carries the viewer and its style with it', async () => {
    const viewer = await read('/docs/viewer.js')
    const style = await read('/docs/viewer.css')
    expect(viewer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(viewer.text).toContain('SwaggerUIBundle')
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect(style.text.match(/url\((?!["']?data:)[^)]*\)/g)).toBeNull()
    expect(style.text).not.toContain('@import')
  })
})
