import { createServer } from 'node:http'
import Provider from 'oidc-provider'

/** A third-party OpenID Connect provider, which asks for a name and a password, and for consent. */
export async function startRealProvider(client: object, configuration: object, host = 'localhost') {
  let handle: ReturnType<Provider['callback']> = () => {}
  const server = createServer((request, response) => handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const issuer = `http://${host}:${port}`
  handle = new Provider(issuer, {
    clients: [{ client_id: 'daybook', client_secret: 'a secret of the client', ...client }],
    ...configuration,
  }).callback()
  return {
    issuer,
    signIn: (address: string, name: string) => signInThere(address, name, issuer),
    stop: () => server.close(),
  }
}

/** Performs the steps of a user in a browser there; returns the address that the provider redirects to. */
async function signInThere(address: string, name: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>()
  const send = async (url: string, form?: Record<string, string>): Promise<Response> => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const posted = form && { method: 'POST', body: new URLSearchParams(form) }
    const response = await fetch(url, { redirect: 'manual', headers: { cookie }, ...posted })
    for (const line of response.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(key, value)
    }
    return response
  }
  let url = address
  for (let step = 0; step < 20 && url.startsWith(issuer); step++) {
    const page = await send(url)
    const isLogin = page.status === 200 && (await page.text()).includes('name="login"')
    const form: Record<string, string> = isLogin
      ? { prompt: 'login', login: name, password: 'x' }
      : { prompt: 'consent' }
    const response = page.status === 200 ? await send(url, form) : page
    url = new URL(response.headers.get('location') ?? url, url).href
  }
  return url
}
