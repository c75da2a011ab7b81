import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { brotliDecompressSync } from 'node:zlib'
import { gunzipSync } from 'bun'
import { newFolder, type ServerProcess, startProcess } from '../support/process.ts'

/** The complete policy of the page, without the nonce and the server name. */
const POLICY = [
  "default-src 'none'",
  'script-src HOST/app/assets/',
  "style-src 'self' 'nonce-…'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  'frame-src blob:',
  'worker-src HOST/app/assets/ HOST/app/worker.js',
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types daybook',
]
/** Scripts name each other relative to their folder. */
const ASSET = /(?:\/app\/assets|\.)\/[\w-]+-\w{8}\.(?:js|css)\b/g
const assetsIn = (text: string): string[] =>
  (text.match(ASSET) ?? []).map((path) => path.replace(/^\.(?=\/)/, '/app/assets'))

const folder = newFolder()
let server: ServerProcess

/** Sends requests without decompression: the bytes are read as sent. */
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${server.url}${path}`, {
    method,
    headers: { 'accept-encoding': 'identity', ...headers },
    decompress: false,
    redirect: 'manual',
  })

/** Returns the files of the application, discovered from the page as a browser does. */
async function allAssets(): Promise<string[]> {
  const found = new Set(assetsIn(await (await get('/app')).text()))
  for (const path of found) for (const next of assetsIn(await (await get(path)).text())) found.add(next)
  return [...found]
}

beforeAll(async () => {
  server = await startProcess(folder.file('daybook.db'))
})
afterAll(async () => {
  await server.end()
  folder.remove()
})

describe('the page of the application', () => {
  test('is where `/` leads, and at every path below /app but those of its endpoints and files', async () => {
    const root = await get('/?from=bookmark')
    expect([root.status, root.headers.get('location')]).toEqual([302, '/app'])
    const paths = [
      '/app',
      '/app/',
      '/app/notes',
      '/app/notes/1?show=preview',
      '/app/a/b/c/d',
      '/app/apis',
      '/app/%zz',
    ]
    for (const path of paths) {
      const { status, headers } = await get(path)
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8'])
    }
    const elsewhere = [
      '/app/api',
      '/app/api/',
      '/app/api/nothing',
      '/app/assets',
      '/app/assets/a/b.js',
      '/apps',
    ]
    for (const path of elsewhere) {
      const response = await get(path)
      expect([path, response.status]).toEqual([path, 404])
      expect(await response.json()).toMatchObject({ code: 'not_found' })
    }
  })

  test('is never cached, and each has its own nonce', async () => {
    const [first, second] = [await get('/app'), await get('/app')]
    for (const { headers } of [first, second]) {
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('etag')).toBeNull()
    }
    const nonces = await Promise.all(
      [first, second].map(async (response) => {
        const [, inPolicy] =
          /'nonce-([\w-]{22})'/.exec(response.headers.get('content-security-policy') ?? '') ?? []
        const [, inPage] = /name="csp-nonce" nonce="([\w-]+)"/.exec(await response.text()) ?? []
        expect(inPage).toBe(inPolicy ?? 'a nonce of 128 bits')
        return inPage
      }),
    )
    expect(nonces[0]).not.toBe(nonces[1])
  })

  test('runs no code and shows no style but from its own files, and is shown in no frame', async () => {
    for (const path of ['/app', '/app/settings/keys']) {
      const response = await get(path)
      const policy = response.headers.get('content-security-policy') ?? ''
      const general = policy
        .replace(/'nonce-[\w-]+'/, "'nonce-…'")
        .replaceAll(new URL(server.url).host, 'HOST')
      expect(general.split('; ')).toEqual(POLICY)
      expect(policy).not.toMatch(/unsafe|\*|https?:/)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      })
      const html = await response.text()
      expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:\/\//)
    }
  })
})

test('the text of what is shared without the worker of the application is on the sheet it leads to, and is written nowhere', async () => {
  const share = async (parts: Record<string, string | File> | undefined) => {
    const body = new FormData()
    for (const [name, value] of Object.entries(parts ?? {})) body.append(name, value)
    const init = { method: 'POST', redirect: 'manual', body: parts ? body : 'no form' } as const
    const { status, headers } = await fetch(`${server.url}/app/share`, init)
    const { pathname, searchParams } = new URL(headers.get('location') ?? '', server.url)
    return [status, pathname, Object.fromEntries(searchParams)] as const
  }
  const text = { title: 'Hubs', text: 'Worth reading & more', url: 'https://example.com/' }
  const there = { title: 'Hubs', text: 'Worth reading & more\nhttps://example.com/' }
  const small = new File(['x'], 'a.txt')
  const large = new File(['x'.repeat(5_000_000)], 'a.txt')
  expect(await share(text)).toEqual([303, '/app/new', there])
  expect(await share({ ...text, files: small })).toEqual([303, '/app/new', { ...there, left_out: 'files' }])
  expect(await share({ ...text, files: large })).toEqual([303, '/app/new', { left_out: 'all' }])
  expect(await share(undefined)).toEqual([303, '/app/new', { left_out: 'all' }])
  for (const sign of ['word ', 'ä', '😀', "!'()*~&+"]) {
    const body = new FormData()
    body.append('title', sign.repeat(1_000))
    body.append('text', sign.repeat(1_000_000 / new Blob([sign]).size))
    const { status, headers } = await fetch(`${server.url}/app/share`, {
      method: 'POST',
      redirect: 'manual',
      body,
    })
    const location = headers.get('location') ?? ''
    const { searchParams } = new URL(location, server.url)
    expect([status, location.length < 8_000, searchParams.get('left_out')]).toEqual([303, true, 'title,text'])
    expect(searchParams.get('text')).toMatch(/\n\n… \([\d,]+ more characters were omitted\.\)$/)
    expect(location.length).toBeGreaterThan(6_000)
  }
})

describe('the files of the application', () => {
  test('have content hashes in their names, and are cached permanently', async () => {
    const paths = await allAssets()
    expect(paths.length).toBeGreaterThan(20)
    for (const path of paths) {
      const { status, headers } = await get(path)
      expect(path).toMatch(/-[0-9a-z]{8}\.(js|css)$/)
      const type = path.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8'
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, type])
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('vary')).toContain('Accept-Encoding')
      expect(headers.get('etag')).toMatch(/^"[^"]+"$/)
    }
  })

  test('are compressed for who takes that, and plain for who does not; both are the same file', async () => {
    for (const path of await allAssets()) {
      const plain = await get(path)
      expect([path, plain.headers.get('content-encoding')]).toEqual([path, null])
      const bytes = new Uint8Array(await plain.arrayBuffer())
      for (const [accepted, coding, unpack] of [
        ['gzip', 'gzip', gunzipSync],
        ['gzip, br', 'br', brotliDecompressSync],
      ] as const) {
        const packed = await get(path, { 'accept-encoding': accepted })
        expect([path, packed.headers.get('content-encoding')]).toEqual([path, coding])
        const received = new Uint8Array(await packed.arrayBuffer())
        expect(new Uint8Array(unpack(received))).toEqual(bytes)
        if (bytes.byteLength > 1_000) expect(received.byteLength).toBeLessThan(bytes.byteLength * 0.7)
      }
    }
  })

  test('are sent plain where both codings are refused', async () => {
    const [path = ''] = await allAssets()
    for (const [accepted, encoding] of [
      ['gzip', 'gzip'],
      ['GZIP', 'gzip'],
      ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'br'],
      ['br;q=0, gzip', 'gzip'],
      ['gzip;q=0', null],
      ['gzip; q=0.000, br;q=0', null],
      ['br', 'br'],
      ['', null],
    ] as const) {
      const response = await get(path, { 'accept-encoding': accepted })
      expect([accepted, response.headers.get('content-encoding')]).toEqual([accepted, encoding])
      await response.body?.cancel()
    }
  })

  test('are not resent to clients that have them, in any spelling of the tag', async () => {
    const [path = '', other = ''] = await allAssets()
    const etag = (await get(path)).headers.get('etag') ?? ''
    for (const known of [etag, `W/${etag}`, `"another", ${etag}`, '*']) {
      const response = await get(path, { 'if-none-match': known })
      expect([known, response.status]).toEqual([known, 304])
      expect(response.headers.get('etag')).toBe(etag)
      expect(response.headers.get('cache-control')).toContain('immutable')
      expect(await response.text()).toBe('')
    }
    for (const known of ['"another"', '', (await get(other)).headers.get('etag') ?? '']) {
      const response = await get(path, { 'if-none-match': known })
      expect([known, response.status]).toEqual([known, 200])
    }
  })

  test('are described to HEAD as to GET, without the bytes', async () => {
    const [path = ''] = await allAssets()
    for (const encoding of ['gzip', 'identity']) {
      const [head, whole] = [
        await get(path, { 'accept-encoding': encoding }, 'HEAD'),
        await get(path, { 'accept-encoding': encoding }),
      ]
      const described = ({ headers }: Response) =>
        ['content-type', 'content-encoding', 'etag', 'cache-control'].map((name) => headers.get(name))
      expect(described(head)).toEqual(described(whole))
      expect(Number(head.headers.get('content-length'))).toBe((await whole.arrayBuffer()).byteLength)
      expect(await head.text()).toBe('')
    }
  })

  test('that do not exist, such as those of another version, are 404 and not cached', async () => {
    for (const name of ['index-00000000.js', '..%2f..%2fdaybook.db', 'index.html', 'constructor', '%00']) {
      const response = await get(`/app/assets/${name}`)
      expect([name, response.status]).toEqual([name, 404])
      expect(response.headers.get('cache-control') ?? '').not.toContain('immutable')
      expect(await response.json()).toMatchObject({ code: 'not_found' })
    }
  })
})

describe('the manifest', () => {
  const manifest = async (headers: Record<string, string> = {}) => {
    const response = await get('/app/manifest.json', headers)
    const { share_target } = (await response.json()) as { share_target: { action: string } }
    return { action: share_target.action, cookie: response.headers.get('set-cookie') }
  }

  test('accepts shared content at a secret address per browser, which stays the same', async () => {
    const { action, cookie } = await manifest()
    const key = /^\/app\/share\?key=([\w-]{22})$/.exec(action)?.[1]
    expect(cookie).toBe(`daybook_share=${key}; Path=/; SameSite=Strict; Max-Age=34560000`)
    expect(await manifest({ cookie: `other=1; daybook_share=${key}` })).toEqual({ action, cookie })
    expect((await manifest()).action).not.toBe(action)
    expect((await manifest({ cookie: 'daybook_share=short' })).action).not.toContain('short')
  })

  test('sets no cookie for requests caused by another site', async () => {
    expect((await manifest({ 'sec-fetch-site': 'cross-site' })).cookie).toBeNull()
  })

  test('names the key, with https in front, as no other host can', async () => {
    const behind = await startProcess(folder.file('behind.db'), {
      args: ['--public-url', 'https://daybook.test'],
    })
    const response = await fetch(`${behind.url}/app/manifest.json`)
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-daybook_share=.*; Secure$/)
    await behind.end()
  })
})
