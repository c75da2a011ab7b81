import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { anchorOf, GUIDE_PAGES } from '../../src/http/docs/guide/pages.ts'
import { VERSION } from '../../src/lib/version.ts'
import { runInProcess } from '../support/cli.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const read = async (path: string) => {
  const { status, headers, body } = await service.as(undefined).get(path)
  return { status, headers, text: body as string }
}

const linksIn = (page: string) => [...page.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href)
const idsIn = (page: string) => [...page.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)

test.each(GUIDE_PAGES.map(({ slug, title }) => [slug, title]))(
  'serves the page %s without a key',
  async (slug, title) => {
    const { status, headers, text } = await read(`/docs/guide/${slug}`)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(text).toContain(`<h1>${title}</h1>`)
    expect(text).toContain(`daybook ${VERSION}`)
    expect(text).not.toContain('<!--')
  },
)

test('runs no script and requests nothing but its own pages', async () => {
  for (const path of ['/docs/guide', '/docs/guide/tour', '/docs/guide?q=backup']) {
    const { headers, text } = await read(path)
    expect(text).not.toMatch(/<script|<img|<link|<iframe| on\w+=| style=/)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src 'self'; base-uri 'none'; /,
    )
    expect(policy).toEndWith("form-action 'self'; frame-ancestors 'none'; font-src 'self'")
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(text) ?? []
    const hash = new Bun.CryptoHasher('sha256').update(style).digest('base64')
    expect(policy).toContain(`'sha256-${hash}'`)
  }
})

test('serves every picture of the guide, small, with its text and size, and for good', async () => {
  const files = new Glob('*.webp').scanSync('scripts/guide/pictures')
  const named = GUIDE_PAGES.flatMap(({ text }) =>
    [...text.matchAll(/!\[[^\]]{20,}\]\(pictures\/(\S+)\)/g)].map(([, name = '']) => name),
  )
  expect(named.toSorted()).toEqual([...files].toSorted())
  const { text } = await read('/docs/guide/agents')
  const shown = [
    ...text.matchAll(/<img src="(\S+)" alt="[^"]{20,}" width="(\d+)" height="(\d+)" loading="lazy">/g),
  ]
  expect(shown.length).toBe(named.length)
  for (const [, path = '', width, height] of shown) {
    // A wrong size would move the page when the picture is loaded.
    expect(Number(width)).toBeWithin(300, 1_000)
    expect(Number(height)).toBeWithin(150, 1_200)
    const response = await service.app.fetch(new Request(`http://localhost${path}`))
    const { status, headers } = response
    const bytes = await response.bytes()
    expect([status, headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(new TextDecoder('latin1').decode(bytes.subarray(8, 12))).toBe('WEBP')
    expect(bytes.length).toBeLessThan(40_000)
    expect((await read(path.replace(/\.\w+\.webp$/, '.old.webp'))).status).toBe(404)
  }
  const { out } = await runInProcess(['help', 'agents'])
  expect(out).not.toContain('webp')
})

test('every link inside the guide leads to a page and a heading', async () => {
  const addresses = ['/docs/guide', ...GUIDE_PAGES.map(({ slug }) => `/docs/guide/${slug}`)]
  const pages = new Map(
    await Promise.all(addresses.map(async (path) => [path, (await read(path)).text] as const)),
  )
  const dead = [...pages].flatMap(([path, text]) =>
    linksIn(text)
      .filter((href) => /^(?:#|\/docs\/guide)/.test(href))
      .filter((href) => {
        const [target = '', anchor] = href.split('#')
        const linked = pages.get(target === '' ? path : target)
        return linked === undefined || (anchor !== undefined && !idsIn(linked).includes(anchor))
      })
      .map((href) => `${path}: ${href}`),
  )
  expect(dead).toEqual([])
})

test('shows a table, a list, code and links as elements', async () => {
  const { text } = await read('/docs/guide/limits')
  expect(text).toContain('<table>')
  expect(text).toContain('<code>/openapi.json</code>')
  expect((await read('/docs/guide/deploy')).text).toContain('<ol start="1">')
})

test.each([
  ['restore a backup', 'back-up#restore-a-backup'],
  ['RESTORE Backup', 'back-up#restore-a-backup'],
  ['keep-mine', 'mirrors#resolve-a-conflict'],
  ['DAYBOOK_PUBLIC_URL', 'configuration#settings-of-the-server'],
])('finds %j without script', async (query, address) => {
  const { status, text } = await read(`/docs/guide?q=${encodeURIComponent(query)}`)
  expect(status).toBe(200)
  expect(linksIn(text)).toContain(`/docs/guide/${address}`)
  expect(text).toContain('<mark>')
})

test('shows a hostile query as text', async () => {
  const { status, text } = await read(`/docs/guide?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
  expect(status).toBe(200)
  expect(text).toContain('Nothing found')
  expect(text).not.toContain('<script>')
})

test('refuses a query that is too long, unknown parameters and other methods', async () => {
  expect((await read(`/docs/guide?q=${'a'.repeat(201)}`)).status).toBe(400)
  expect((await read('/docs/guide?x=1')).status).toBe(400)
  expect((await service.as(undefined).post('/docs/guide', {})).status).toBe(405)
})

test('an unknown page is a 404 that lists the pages', async () => {
  const { status, text } = await read('/docs/guide/nope')
  expect(status).toBe(404)
  expect(linksIn(text)).toContain('/docs/guide/install')
})

test('headings have the anchors of GitHub', () => {
  expect(anchorOf('`daybook keys revoke <name-or-id>`')).toBe('daybook-keys-revoke-name-or-id')
  expect(anchorOf('Share a page, ask with a form')).toBe('share-a-page-ask-with-a-form')
})

test('daybook help prints a page of the guide, whose links name commands', async () => {
  const { exitCode, out } = await runInProcess(['help', 'back-up'])
  expect(exitCode).toBe(0)
  expect(out).toStartWith('# Back up and restore\n')
  expect(out).not.toContain('<!--')
  expect(await runInProcess(['help', 'back', 'up'])).toEqual({ exitCode, out, err: '' })
  expect((await runInProcess(['help', 'operate'])).out).toContain('restore a backup (daybook help back-up)')
})

test('daybook help names near topics, and all topics', async () => {
  const { exitCode, err } = await runInProcess(['help', 'instal'])
  expect(exitCode).toBe(2)
  expect(err).toContain(
    'There is no command or topic "instal". Did you mean "install"? Topics: install, tour,',
  )
})
