import { addressGroup } from '../../lib/address-group.ts'
import { isCurrent } from '../../lib/entity-tags.ts'
import { formEntries } from '../../lib/form-entries.ts'
import { notFound } from '../../lib/refusal.ts'
import { withCommas } from '../../lib/text.ts'
import { isCrossSite } from '../browser/browser-rules.ts'
import { scriptSources } from '../browser/script-sources.ts'
import { hiddenEndpoints } from '../endpoints.ts'
import { unknownPath } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { AnyQuery, BytesBody } from '../schema/types.ts'
import { type Assets, loadAssets } from './assets.ts'
import { iconOf, manifestFor, SHARE_PATH } from './manifest.ts'
import { ASSETS_PATH } from './names.ts'
import { shareCookie, shareKeyOf } from './share-key.ts'

/** The placeholder in the page for the nonce that permits the editor's styles. */
const NONCE = 'NONCE'

/**
 * The placeholder in the page that states whether the browser sent a session cookie, so that the page can skip a
 * request that would fail.
 */
const COOKIE = 'COOKIE'

const WORKER_PATH = '/app/worker.js'

/**
 * Nothing from other hosts, no inline code or style, and no text parsed as code. The nonce permits the style sheet
 * that the editor creates; images and documents may also be shown from memory. Only the files of the application are
 * scripts; uploaded files are not.
 */
const contentSecurityPolicy = (nonce: string, scripts: string): string =>
  [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    'frame-src blob:',
    `worker-src ${scripts} ${scripts.replaceAll(`${ASSETS_PATH}/`, WORKER_PATH)}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types daybook',
  ].join('; ')

const SAFE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  // Lets the service worker recognize posts from the application's own pages.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** Where the page links the scripts that a screen needs, so that the browser does not discover them one by one. */
const HEAD_END = '</head>'

async function pageResponse(hasCookie: boolean, scripts: string, path: readonly string[]): Promise<Response> {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url')
  const { page, needed } = await loadAssets()
  const links = neededFor(needed, hasCookie ? path : ['sign-in']).map(
    (name) => `<link rel="modulepreload" href="${ASSETS_PATH}/${name}">`,
  )
  const text = page
    .replace(NONCE, nonce)
    .replace(COOKIE, hasCookie ? 'sent' : 'none')
    .replace(HEAD_END, `${links.join('')}${HEAD_END}`)
  return new Response(text, {
    headers: {
      ...SAFE_HEADERS,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': contentSecurityPolicy(nonce, scripts),
      'X-Frame-Options': 'DENY',
      'Cache-Control': 'no-store',
    },
  })
}

/** The scripts of the screen at a path below `/app`: by default the list of notes. */
function neededFor(
  needed: Assets['needed'],
  [screen = 'notes', note = '']: readonly string[],
): readonly string[] {
  const name = screen === 'notes' && note !== '' ? 'note' : screen
  return (Object.hasOwn(needed, name) ? needed[name] : needed.notes) ?? []
}

/** The service worker, which serves every page of the application; it requests only from this server. */
async function workerResponse(request: Request): Promise<Response> {
  const { worker } = await loadAssets()
  const etag = `"${Bun.hash(worker).toString(36)}"`
  const headers = new Headers({
    ...SAFE_HEADERS,
    'Content-Type': 'text/javascript; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; connect-src 'self'",
    'Service-Worker-Allowed': '/app',
    'Cache-Control': 'no-cache',
    ETag: etag,
  })
  const isKnown = isCurrent(request, etag)
  return new Response(isKnown ? null : worker, { status: isKnown ? 304 : 200, headers })
}

/** A larger share contains files, which only the service worker accepts. */
const MAX_SHARED_BYTES = 1_048_576

/** The maximum length of a title and a text in an address, as encoded there: proxies refuse longer addresses. */
const MAX_TITLE = 1_500
const MAX_TEXT = 6_000

/** The longest beginning of a text whose encoded length is within the limit. */
function beginningOf(text: string, most: number): string {
  let length = 0
  let end = 0
  for (const character of text) {
    length += new URLSearchParams([['', character]]).toString().length - '='.length
    if (length > most) break
    end += character.length
  }
  return text.slice(0, end)
}

/**
 * The address for a share from another application if the service worker did not handle it: the page for a new note
 * with its text. The page reports omitted parts. Nothing is written here, because there may be no session.
 */
async function sharedPlace(
  { request, address }: Pick<Exchange, 'request' | 'address'>,
  body: { bytes(key: string, most?: number): Promise<Uint8Array> },
): Promise<string> {
  const query = new URLSearchParams()
  try {
    const bytes = await body.bytes(addressGroup(address), MAX_SHARED_BYTES)
    const entries = await formEntries(request.headers.get('content-type') ?? '', bytes)
    if (!entries) throw new Error('no form')
    const valueNamed = (name: string) => String(entries.find(([key]) => key === name)?.[1] ?? '').trim()
    const [title, ...lines] = ['title', 'text', 'url'].map(valueNamed)
    const text = [...new Set(lines)].filter(Boolean).join('\n')
    const omitted: string[] = []
    if (entries.some(([name, file]) => name === 'files' && typeof file !== 'string')) omitted.push('files')
    const [heading, rest] = [title ?? '', text].map((whole, at) => {
      const start = beginningOf(whole, at === 0 ? MAX_TITLE : MAX_TEXT)
      if (start === whole) return whole
      omitted.push(at === 0 ? 'title' : 'text')
      const count = withCommas(whole.length - start.length)
      return at === 0 ? `${start}…` : `${start}\n\n… (${count} more characters were omitted.)`
    })
    if (heading) query.set('title', heading)
    if (rest) query.set('text', rest)
    if (omitted.length > 0) query.set('left_out', omitted.join(','))
  } catch {
    query.set('left_out', 'all')
  }
  return `/app/new?${query}`
}

const leadTo = (Location: string) => new Response(null, { status: 303, headers: { Location } })

function manifestResponse(request: Request, isSecure: boolean): Response {
  const key = shareKeyOf(request, isSecure)
  return Response.json(manifestFor(key), {
    headers: {
      'Content-Type': 'application/manifest+json',
      'Cache-Control': 'no-store',
      // Requests that another site initiated must not change anything.
      ...(!isCrossSite(request) && { 'Set-Cookie': shareCookie(key, isSecure) }),
    },
  })
}

function iconResponse(name: string): Response {
  const icon = iconOf(name)
  if (!icon) throw notFound('file')
  return new Response(icon, { headers: { ...SAFE_HEADERS, 'Cache-Control': 'public, max-age=86400' } })
}

const accepts = (request: Request, coding: 'br' | 'gzip'): boolean =>
  new RegExp(`\\b${coding}\\b(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$))`, 'i').test(
    request.headers.get('accept-encoding') ?? '',
  )

/** Files are immutable under their names, so browsers cache them. */
async function assetResponse(name: string, request: Request): Promise<Response> {
  const asset = (await loadAssets()).files.get(name)
  if (!asset) throw notFound('file')
  const etag = `"${name}"`
  const headers = new Headers({
    ...SAFE_HEADERS,
    'Content-Type': asset.type,
    'Cache-Control': 'public, max-age=31536000, immutable',
    ETag: etag,
    Vary: 'Accept-Encoding',
  })
  if (isCurrent(request, etag)) return new Response(null, { status: 304, headers })
  const coding = accepts(request, 'br') ? 'br' : accepts(request, 'gzip') ? 'gzip' : undefined
  if (coding === undefined) return new Response(asset.bytes, { headers })
  headers.set('Content-Encoding', coding)
  return new Response(coding === 'br' ? asset.brotli : asset.gzipped, { headers })
}

/** Whether a path below `/app` belongs to endpoints or files, so that the page is never served for it. */
const isElsewhere = (below: string): boolean => /^(?:api|assets|icons)(?:\/|$)/.test(below)

const nowhere = (): never => {
  throw unknownPath()
}

/**
 * The application and its files. The page is served at `/app` and at every path below it without an endpoint or file.
 */
export function applicationRoutes(publicUrls: readonly string[], hasCookie: (request: Request) => boolean) {
  const isSecure = publicUrls.some((url) => url.startsWith('https:'))
  const page = (request: Request, below = '') => {
    const path = below.split('/').filter(Boolean)
    return pageResponse(hasCookie(request), scriptSources(request, publicUrls, ASSETS_PATH), path)
  }
  return hiddenEndpoints('', 'nothing')
    .get('/', () => new Response(null, { status: 302, headers: { Location: '/app' } }), {
      open: true,
      query: AnyQuery,
    })
    .get('/app', ({ request }) => page(request), { open: true, query: AnyQuery })
    .get(
      '/app/*',
      ({ request, params }) => (isElsewhere(params['*']) ? nowhere() : page(request, params['*'])),
      {
        open: true,
        query: AnyQuery,
      },
    )
    .get(WORKER_PATH, ({ request }) => workerResponse(request), { open: true })
    .get('/app/manifest.json', ({ request }) => manifestResponse(request, isSecure), { open: true })
    .post(SHARE_PATH, async ({ body, exchange }) => leadTo(await sharedPlace(exchange, body)), {
      open: true,
      query: AnyQuery,
      body: BytesBody,
    })
    .get('/app/icons/:name', ({ params }) => iconResponse(params.name), { open: true })
    .get(`${ASSETS_PATH}/:name`, ({ params, request }) => assetResponse(params.name, request), {
      open: true,
    })
    .all('/app/api/*', nowhere)
    .all(`${ASSETS_PATH}/*`, nowhere)
}
