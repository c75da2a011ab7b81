/*
 * The baseline of deliveries: a loop of `fetch` in a separate process. `bun fetch-loop.ts` reads `{urls, ca, body,
 * loops, total}` from standard input. `loops` concurrent loops post the body to the URLs in rotation until `total`
 * requests are done. Prints the number per second.
 */
import { stdin } from 'bun'

const { urls, ca, body, loops, total } = (await stdin.json()) as {
  urls: string[]
  ca: string
  body: string
  loops: number
  total: number
}

const post = async (count: number) => {
  const url = urls[count % urls.length] as string
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', body, headers, tls: { ca } })
  await answer.arrayBuffer()
}

let sent = 0
const loop = async () => {
  while (sent < total) await post(sent++)
}

await Promise.all(urls.map((_, number) => post(number)))
const started = performance.now()
await Promise.all(Array.from({ length: loops }, loop))
process.stdout.write(String((total * 1000) / (performance.now() - started)))
