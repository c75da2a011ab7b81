import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

/** An authenticating proxy: it redirects every request without a sign-in to its own page. */
export interface SignInProxy {
  readonly url: string
  isAway: boolean
  /** Expires all sign-ins. */
  expire(): void
  close(): void
}

/** Starts a proxy in front of a server. The sign-in page is on the same origin, or on another one. */
export async function startSignInProxy(to: string, place: 'here' | 'elsewhere'): Promise<SignInProxy> {
  let generation = 0
  const answer = (asked: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(asked.url ?? '', to)
    if (proxy.isAway) return void asked.socket.destroy()
    const back = searchParams.get('to') ?? '/app'
    if (pathname === '/proxy/sign-in')
      return void response
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end(
          `<a id="proxy" href="${proxy.url}/proxy/back?to=${encodeURIComponent(back)}">Sign in at the proxy</a>`,
        )
    if (pathname === '/proxy/back')
      return void response
        .writeHead(302, { Location: back, 'Set-Cookie': `proxy=${generation}; Path=/; HttpOnly` })
        .end()
    if (!asked.headers.cookie?.includes(`proxy=${generation}`)) {
      const origin = place === 'here' ? proxy.url : proxy.url.replace('127.0.0.1', 'localhost')
      const Location = `${origin}/proxy/sign-in?to=${encodeURIComponent(asked.url ?? '')}`
      return void response.writeHead(302, { Location }).end()
    }
    const { method, headers } = asked
    const passed = request(new URL(asked.url ?? '', to), { method, headers }, (got) => {
      response.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(response)
      got.on('error', () => response.destroy())
    })
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    asked.pipe(passed)
  }
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as { port: number }
  const proxy: SignInProxy = {
    url: `http://127.0.0.1:${port}`,
    isAway: false,
    expire: () => {
      generation++
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return proxy
}
