/*
 * The service worker caches one complete version of the application, so that it opens without a network.
 *
 * Pages come from the network first. Asset names contain a hash of their content, so a cached asset is correct for any
 * version. Pictures cached by the page are shown while the server is unreachable. Everything else (the API, the session,
 * sign-in) bypasses this worker.
 */

import { newIds } from '../data/new-ids.ts'
import { KEY, OWN, SHARE, SHARED } from '../offline/shared-cache.ts'

/** Inserted by the build: the name of this version, which its page contains, and the paths of all its files. */
declare const VERSION: string
declare const FILES: readonly string[]

/** Service worker types, which the DOM library lacks. */
interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}
interface RequestEvent extends WorkerEvent {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}
interface Worker {
  readonly clients: { claim(): Promise<void> }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate', act: (event: WorkerEvent) => void): void
  addEventListener(type: 'fetch', act: (event: RequestEvent) => void): void
}
const worker = self as unknown as Worker

/** The cache of pictures of notes, filled by the page. */
const PICTURES = 'daybook-pictures'
/** Matches the path of a file's content. */
const CONTENT = /^\/v1\/files\/[^/]+\/content$/
const PREFIX = 'daybook-version '
const PAGE = '/app'
/** Paths below the page that are not pages: endpoints, assets, and sign-in redirects. */
const ELSEWHERE = /^\/app\/(?:api|assets|icons|sign-in|demo|share)(?:\/|$)|\.(?:js|json)$/
/** A page that takes longer is served from the cache. */
const PAGE_TIMEOUT_MS = 2_000

worker.addEventListener('install', (event) =>
  event.waitUntil(cacheVersion().then(() => worker.skipWaiting())),
)

worker.addEventListener('activate', (event) =>
  event.waitUntil(removeOldVersions().then(() => worker.clients.claim())),
)

worker.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (origin !== location.origin) return
  if (request.method === 'POST' && pathname === SHARE) event.respondWith(storeShared(request))
  if (request.method !== 'GET') return
  if (pathname.startsWith('/app/assets/')) event.respondWith(file(request))
  else if (request.destination === 'image' && CONTENT.test(pathname)) event.respondWith(picture(request))
  else if (request.mode === 'navigate' && isPage(pathname)) event.respondWith(page(request))
})

const isPage = (path: string): boolean =>
  path === PAGE || (path.startsWith(`${PAGE}/`) && !ELSEWHERE.test(path))

const file = async (request: Request): Promise<Response> =>
  (await caches.match(request.url)) ?? fetch(request)

/** A picture from the server, or from the cache if the server cannot be reached. */
async function picture(request: Request): Promise<Response> {
  try {
    return await fetch(request)
  } catch (error) {
    const cached = await (await caches.open(PICTURES)).match(request.url)
    if (cached) return cached
    throw error
  }
}

/** Other sites reach this worker only by navigation, and none can forge our origin as the referrer. */
const isOwn = ({ mode, referrer }: Request): boolean =>
  mode !== 'navigate' || referrer.startsWith(`${location.origin}/`)

/** Stores shared content under the id of its future note, and redirects to that note. */
async function storeShared(request: Request): Promise<Response> {
  const [id = ''] = newIds(1)
  const type = request.headers.get('content-type') ?? ''
  // The key lets the page recognize shares from the operating system; the worker cannot.
  const key = new URL(request.url).searchParams.get('key') ?? ''
  const headers = { 'Content-Type': type, [KEY]: key, ...(isOwn(request) && { [OWN]: 'own' }) }
  const shared = new Response(await request.blob(), { headers })
  await (await caches.open(SHARED)).put(`${SHARE}/${id}`, shared)
  return Response.redirect(`${location.origin}/app/new?shared=${id}`, 303)
}

/**
 * The page from the network, which may be a proxy's sign-in page or a redirect to it. The cached page is returned if
 * the server is unreachable or slow.
 */
async function page(request: Request): Promise<Response> {
  const sent = fetch(request)
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, PAGE_TIMEOUT_MS))
  const response = await Promise.race([sent.catch(() => undefined), late])
  if (response && response.status < 500) return response
  const cache = await caches.open(PREFIX + VERSION)
  return (await cache.match(PAGE)) ?? sent
}

/** Caches the files of this version one at a time, so that the page's own requests are not delayed; then its page. */
async function cacheVersion(): Promise<void> {
  const cache = await caches.open(PREFIX + VERSION)
  for (const path of FILES) await cache.put(path, (await caches.match(path)) ?? (await ownFile(path)))
  await cache.put(PAGE, await ownPage())
}

/** Fetches a response of the application itself; throws if a proxy or portal responded instead. */
async function own(path: string, type: RegExp): Promise<Response> {
  const response = await fetch(path)
  const isOwn = response.status === 200 && !response.redirected
  if (isOwn && type.test(response.headers.get('content-type') ?? '')) return response
  throw new Error(`${path} does not belong to this version.`)
}

const ownFile = (path: string): Promise<Response> => own(path, /^(?:text\/(?:javascript|css)|font\/woff2)\b/)

/** The page of this version, as served to a browser that may be signed in. */
async function ownPage(): Promise<Response> {
  const response = await own(PAGE, /^text\/html\b/)
  const text = await response.text()
  if (!text.includes(VERSION)) throw new Error('The server has a different version.')
  return new Response(text.replace('content="none"', 'content="sent"'), { headers: response.headers })
}

/**
 * Removes versions that no tab uses; each tab holds a lock named after its version. The two previous versions stay: a
 * page of the last one may have just been sent to a tab that holds no lock yet, and one of the two may be incomplete.
 */
async function removeOldVersions(): Promise<void> {
  const versions = (await caches.keys()).filter(
    (name) => name.startsWith(PREFIX) && name !== PREFIX + VERSION,
  )
  const { held = [] } = await navigator.locks.query()
  for (const name of versions.slice(0, -2))
    if (!held.some((lock) => lock.name === name)) await caches.delete(name)
}
