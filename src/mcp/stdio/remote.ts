import { headersOf, messagesIn, type Respond } from './messages.ts'

/** Passes messages on to the MCP endpoint of a server. */
export const remoteResponder =
  ({ url, key }: { readonly url: string; readonly key: string }): Respond =>
  async (message, signal) => {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { ...headersOf(message), Authorization: `Bearer ${key}` },
      body: JSON.stringify(message),
      // The key must not be sent to another host.
      redirect: 'manual',
      signal,
    }).catch((error: { code?: string }) => {
      throw new Error(`${url} does not answer (${error.code ?? 'unknown'}); check that the server runs.`)
    })
    return messagesIn(response)
  }
