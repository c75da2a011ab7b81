import type { Page } from 'puppeteer-core'

/* Requests that a page sends with its own session, and requests of a page that a test holds or answers. */

interface Response {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a response is judged by what the test expects of it
  readonly body: any
}

/** Sends a request with the session of the page. */
export const send = (page: Page, method: string, path: string, body?: unknown): Promise<Response> =>
  page.evaluate(
    async (verb, address, content) => {
      const headers = { 'Content-Type': 'application/json' }
      const response = await fetch(address, {
        method: verb,
        ...(content !== null && { headers, body: content }),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json') ?? false
      return { status: response.status, body: isJson ? JSON.parse(text) : text }
    },
    method,
    path,
    body === undefined ? null : JSON.stringify(body),
  )

/** Ends the session of the page behind its back, as signing out elsewhere does. */
export const endSession = (page: Page): Promise<Response> => send(page, 'DELETE', '/app/api/session')

/** Adds a member, and returns the link with which they set up their password. */
export async function addMember(page: Page, name: string, role: 'editor' | 'viewer'): Promise<string> {
  const { body } = await send(page, 'POST', '/app/api/members', { name, role })
  return body.link
}

/** Uploads a file, given as base64, with the session of the page; returns its id. */
export const upload = (page: Page, name: string, base64: string): Promise<string> =>
  page.evaluate(
    async (fileName, content) => {
      const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0))
      const response = await fetch(`/app/api/files?file_name=${encodeURIComponent(fileName)}`, {
        method: 'POST',
        body: new Blob([bytes]),
      })
      const { file } = await response.json()
      return file.id as string
    },
    name,
    base64,
  )

/** The requests of the application that are meant: those with this method, whose path ends so. */
export interface Meant {
  readonly method?: string
  readonly end?: string
}

/** Holds requests of the application back, before they are sent, until the returned function is called. */
export async function holdRequests(page: Page, meant: Meant): Promise<() => Promise<void>> {
  const held = await page.evaluateHandle(({ method, end = '' }) => {
    const { fetch } = window
    const { promise, resolve } = Promise.withResolvers<void>()
    window.fetch = Object.assign(async (input: RequestInfo | URL, init?: RequestInit) => {
      if ((method ?? init?.method) === init?.method && String(input).endsWith(end)) await promise
      return fetch(input, init)
    }, fetch)
    return { release: () => resolve() }
  }, meant)
  return () => held.evaluate(({ release }) => release())
}

/** Responds to such requests of the application in place of the server: to the next one, or to all of them. */
export const respondTo = (
  page: Page,
  { isOnce = false, ...meant }: Meant & { readonly isOnce?: boolean },
  { status, ...body }: { readonly status: number; readonly [name: string]: unknown },
): Promise<void> =>
  page.evaluate(
    ({ method, end = '' }, isOnlyNext, code, content) => {
      const { fetch } = window
      window.fetch = Object.assign(async (input: RequestInfo | URL, init?: RequestInit) => {
        if ((method ?? init?.method) !== init?.method || !String(input).endsWith(end))
          return fetch(input, init)
        if (isOnlyNext) window.fetch = fetch
        return Response.json(content, { status: code })
      }, fetch)
    },
    meant,
    isOnce,
    status,
    body,
  )
