import type { FuzzResponse } from './oracle.ts'
import type { FuzzRequest } from './requests.ts'

const TIMEOUT_MS = 20_000

/** Reads the first event of a stream, then closes it. */
async function readFirstEvent(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (/^data:.*\n\n/ms.test(text)) break
  }
  return text
}

const isStream = (response: Response) => response.headers.get('content-type')?.startsWith('text/event-stream')

/** Returns undefined if there is no response. */
export async function send(
  url: string,
  { method, target, headers, body }: FuzzRequest,
): Promise<FuzzResponse | undefined> {
  const begin = performance.now()
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(url + target, { method, headers, body, signal, redirect: 'manual' })
    const text = isStream(response) ? await readFirstEvent(response) : await response.text()
    const { status } = response
    return { status, headers: response.headers, text, durationMs: performance.now() - begin }
  } catch {
    return undefined
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const MAX_COMMAND = 20_000

/** Returns the request as a shell command, truncated if very long. */
export function asCurl(url: string, { method, target, headers, body }: FuzzRequest): string {
  const options = Object.entries(headers).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`)
  const data = body === undefined ? '' : ` --data-binary ${quoted(body)}`
  const command = `curl -sg -X ${method}${options.join('')}${data} "${url}"${quoted(target)}`
  return command.length > MAX_COMMAND ? `${command.slice(0, MAX_COMMAND)}… (cut)` : command
}
