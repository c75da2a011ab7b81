import type { Received } from './judge.ts'
import type { Sent } from './requests.ts'

const ANSWER_WITHIN_MS = 20_000

/** The first event of a stream; then it is closed. */
async function beginningOf(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (/^data:.*\n\n/ms.test(text)) break
  }
  return text
}

const isStream = (response: Response) => response.headers.get('content-type')?.startsWith('text/event-stream')

/** Sends the request and takes in the answer; undefined when there is none. */
export async function send(
  url: string,
  { method, target, headers, body }: Sent,
): Promise<Received | undefined> {
  const begin = performance.now()
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
    const response = await fetch(url + target, { method, headers, body, signal, redirect: 'manual' })
    const text = isStream(response) ? await beginningOf(response) : await response.text()
    const { status } = response
    return { status, headers: response.headers, text, durationMs: performance.now() - begin }
  } catch {
    return undefined
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const LONGEST_COMMAND = 20_000

/** The request as a command of the shell; a very long one is cut. */
export function asCurl(url: string, { method, target, headers, body }: Sent): string {
  const options = Object.entries(headers).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`)
  const data = body === undefined ? '' : ` --data-binary ${quoted(body)}`
  const command = `curl -sg -X ${method}${options.join('')}${data} "${url}"${quoted(target)}`
  return command.length > LONGEST_COMMAND ? `${command.slice(0, LONGEST_COMMAND)}… (cut)` : command
}
