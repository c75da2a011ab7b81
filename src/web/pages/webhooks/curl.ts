import type { Delivery, Webhook } from '../../data/webhooks.ts'

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A curl command that sends a delivery again, without a signature: only the server knows the secret. */
export const curlOf = (
  { url, format }: Pick<Webhook, 'url' | 'format'>,
  { id, event }: Delivery,
  body: string,
): string =>
  [
    `curl --globoff ${quoted(url ?? '')}`,
    `-H ${quoted(`Content-Type: ${format === 'ntfy' || format === 'text' ? 'text/plain; charset=utf-8' : 'application/json'}`)}`,
    `-H ${quoted(`X-Service-Event: ${event}`)}`,
    `-H ${quoted(`X-Service-Delivery: ${id}`)}`,
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ')
