import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

const TIMEOUT_MS = 30_000

/** What concerns one connection alone. */
const OF_CONNECTION = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

interface Posted {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

/** Posts bytes with these headers, and no others but those of the connection. Returns why it failed, if it did. */
export function post(url: string, { headers, body }: Posted): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const sent = headers.filter(([name]) => !OF_CONNECTION.has(name))
  const request = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, {
    method: 'POST',
    headers: { ...Object.fromEntries(sent), 'Content-Length': body.byteLength },
    timeout: TIMEOUT_MS,
  })
  request.on('response', (response) => {
    response.resume()
    const { statusCode = 0 } = response
    resolve(statusCode >= 200 && statusCode < 300 ? undefined : `it answered ${statusCode}`)
  })
  request.on('timeout', () => request.destroy(new Error(`no answer in ${TIMEOUT_MS / 1_000} seconds`)))
  request.on('error', (error: Error & { code?: string }) => resolve(error.code ?? error.message))
  request.end(body)
  return promise
}
