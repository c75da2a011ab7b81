import type { Client } from './service.ts'

// biome-ignore lint/suspicious/noExplicitAny: an item is judged by what the test expects of it
type Item = any

/** Returns all items of a list that pages by `offset`; the path has a query. */
export async function everyPage(client: Client, path: string, name: string): Promise<Item[]> {
  const found: Item[] = []
  for (;;) {
    const { status, body } = await client.get(`${path}&offset=${found.length}`)
    if (status !== 200) throw new Error(body.error)
    found.push(...body[name])
    if (!body.has_more) return found
  }
}

/** Returns all items of a list that pages by `after`, from this cursor on; the path has a query. */
export async function everythingAfter(
  client: Client,
  path: string,
  name: string,
  start: string,
): Promise<Item[]> {
  const found: Item[] = []
  for (let after = start; ; ) {
    const { status, body } = await client.get(`${path}&after=${after}`)
    if (status !== 200) throw new Error(body.error)
    found.push(...body[name])
    after = body.cursor ?? body[name].at(-1)?.id ?? after
    if (!body.has_more) return found
  }
}
