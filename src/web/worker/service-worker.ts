/*
 * The service worker of the application: it keeps one version of it whole, so that it opens without a network.
 *
 * A page is asked of the network first. Files are named by their content, so whichever version asks for one, what is
 * kept under the name is right. Pictures that the page keeps are shown while the server is away. Everything else (the API,
 * the session, signing in) goes past this worker.
 */

import { newIds } from '../data/new-ids.ts'
import { KEY, OWN, SHARE, SHARED } from '../offline/shared-cache.ts'

/** Of this version, put in by the build: its name, which its page holds too, and the paths of all its files. */
declare const VERSION: string
declare const FILES: readonly string[]

/** What the types of a page do not know of a worker. */
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

/** The cache of the pictures of notes, which the page fills. */
const PICTURES = 'daybook-pictures'
/** The content of a file. */
const CONTENT = /^\/v1\/files\/[^/]+\/content$/
const PREFIX = 'daybook-version '
const PAGE = '/app'
/** Below the page, what is no page: endpoints, files, and where signing in leads through. */
const ELSEWHERE = /^\/app\/(?:api|assets|icons|sign-in|demo|share)(?:\/|$)|\.(?:js|json)$/
/** A page that takes longer is the kept one. */
const PATIENCE_MS = 2_000

worker.addEventListener('install', (event) => event.waitUntil(keepVersion().then(() => worker.skipWaiting())))

worker.addEventListener('activate', (event) =>
  event.waitUntil(removeOldVersions().then(() => worker.clients.claim())),
)

worker.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (origin !== location.origin) return
  if (request.method === 'POST' && pathname === SHARE) event.respondWith(keepShared(request))
  if (request.method !== 'GET') return
  if (pathname.startsWith('/app/assets/')) event.respondWith(file(request))
  else if (request.destination === 'image' && CONTENT.test(pathname)) event.respondWith(picture(request))
  else if (request.mode === 'navigate' && isPage(pathname)) event.respondWith(page(request))
})

const isPage = (path: string): boolean =>
  path === PAGE || (path.startsWith(`${PAGE}/`) && !ELSEWHERE.test(path))

const file = async (request: Request): Promise<Response> =>
  (await caches.match(request.url)) ?? fetch(request)

/** A picture from the server; the kept one, if it is kept, where the server cannot be reached. */
async function picture(request: Request): Promise<Response> {
  try {
    return await fetch(request)
  } catch (error) {
    const kept = await (await caches.open(PICTURES)).match(request.url)
    if (kept) return kept
    throw error
  }
}

/** Pages of other sites reach this worker only by leading here, and none can name this one as where it comes from. */
const isOwn = ({ mode, referrer }: Request): boolean =>
  mode !== 'navigate' || referrer.startsWith(`${location.origin}/`)

/** Keeps what was shared until it is in a note, whose id it has from here on, and leads there. */
async function keepShared(request: Request): Promise<Response> {
  const [id = ''] = newIds(1)
  const type = request.headers.get('content-type') ?? ''
  // By the key the page knows whether it comes from the system, which a worker is not told.
  const key = new URL(request.url).searchParams.get('key') ?? ''
  const headers = { 'Content-Type': type, [KEY]: key, ...(isOwn(request) && { [OWN]: 'own' }) }
  const shared = new Response(await request.blob(), { headers })
  await (await caches.open(SHARED)).put(`${SHARE}/${id}`, shared)
  return Response.redirect(`${location.origin}/app/new?shared=${id}`, 303)
}

/**
 * The page from the network, which may also be that of a proxy where one signs in, or a redirect to it; the kept one
 * where the server is away or slow.
 */
async function page(request: Request): Promise<Response> {
  const sent = fetch(request)
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE_MS))
  const response = await Promise.race([sent.catch(() => undefined), late])
  if (response && response.status < 500) return response
  const cache = await caches.open(PREFIX + VERSION)
  return (await cache.match(PAGE)) ?? sent
}

/** Keeps all files of this version, one after another, so that the page's own requests wait for none; then its page. */
async function keepVersion(): Promise<void> {
  const cache = await caches.open(PREFIX + VERSION)
  for (const path of FILES) await cache.put(path, (await caches.match(path)) ?? (await ownFile(path)))
  await cache.put(PAGE, await ownPage())
}

/** A response of the application itself, and not of a proxy or portal before it. */
async function own(path: string, type: RegExp): Promise<Response> {
  const response = await fetch(path)
  const isOwn = response.status === 200 && !response.redirected
  if (isOwn && type.test(response.headers.get('content-type') ?? '')) return response
  throw new Error(`${path} is not what belongs to this version.`)
}

const ownFile = (path: string): Promise<Response> => own(path, /^(?:text\/(?:javascript|css)|font\/woff2)\b/)

/** The page of this version, as it is for somebody who may be signed in. */
async function ownPage(): Promise<Response> {
  const response = await own(PAGE, /^text\/html\b/)
  const text = await response.text()
  if (!text.includes(VERSION)) throw new Error('The server has another version by now.')
  return new Response(text.replace('content="none"', 'content="sent"'), { headers: response.headers })
}

/**
 * Removes versions that no tab shows: each tab holds a lock with the name of its own. The two before this one stay, as
 * the page of the last may just have been sent to a tab that holds no lock yet, and one of them may be incomplete.
 */
async function removeOldVersions(): Promise<void> {
  const versions = (await caches.keys()).filter(
    (name) => name.startsWith(PREFIX) && name !== PREFIX + VERSION,
  )
  const { held = [] } = await navigator.locks.query()
  for (const name of versions.slice(0, -2))
    if (!held.some((lock) => lock.name === name)) await caches.delete(name)
}
