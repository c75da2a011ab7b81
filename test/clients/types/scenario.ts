import type * as Client from '../../../src/clients/types/client.ts'
import type * as Library from '../../../src/clients/types/surface.ts'

/** The generated file contains both modules. */
type Scenario = typeof Client & typeof Library

/** The library as in the template: the structure `Samples` stands for the structure of the test server. */
type Samples = Library.Records<'Samples'>

const codeOf = async (call: Promise<unknown>, { DaybookError }: Scenario) =>
  call.then(
    () => 'done',
    (error) => (error instanceof DaybookError ? `${error.status} ${error.code}` : String(error)),
  )

async function rows(samples: Samples, library: Scenario) {
  const once = { idempotency_key: crypto.randomUUID() }
  const first = await samples.create({ title: 'A', count: 1 }, once)
  const again = await samples.create({ title: 'A', count: 1 }, once)
  const [second, third] = await samples.createMany([
    { title: 'B', count: 2, parent: first.id },
    { title: 'Ç' },
  ])
  const page = await samples.list({
    filter: [{ field: 'count', op: 'gte', value: 1 }],
    sort: 'title',
    direction: 'asc',
  })
  const changed = await samples.update(first.id, { count: null }, { if_unchanged: first.updated_at })
  const stale = await codeOf(
    samples.update(first.id, { count: 9 }, { if_unchanged: first.updated_at }),
    library,
  )
  const merged = await samples.create({ title: 'B', count: 5 }, { on_conflict: 'update' })
  const { total: searched } = await samples.list({ search: 'ç' })
  await samples.delete(third?.id ?? first.id)
  return {
    isSame: first.id === again.id,
    page: page.records.map(({ data }) => data.title),
    total: [page.total, page.has_more],
    searched,
    parent: (await samples.get(second?.id ?? first.id)).data.parent === first.id,
    changed: changed.data,
    merged: merged.id === second?.id,
    summary: (await samples.summary({ field: 'count' })).map(({ count, sum }) => [count, sum]),
    stale,
    refused: await codeOf(samples.create({ title: 'A' }), library),
    missing: await codeOf(samples.get(third?.id ?? first.id), library),
  }
}

async function notes({ notes: all }: Library.Client) {
  const made = await all.create({ title: 'Nota', content: 'x', tags: ['t'] })
  await all.append(made.id, { text: 'y', heading: 'H' })
  const changed = await all.update(
    made.id,
    { title: 'Note' },
    { if_unchanged: (await all.get(made.id)).updated_at },
  )
  const listed = await all.list({ tag: 't' })
  await all.delete(made.id)
  return [changed.title, changed.content, listed.total, (await all.list()).total]
}

/**
 * Returns the events of a watch for two new rows: one created while the watch is open, and one while the connection is
 * cut.
 */
async function watched(samples: Samples, cut: () => Promise<unknown>) {
  const said: unknown[] = []
  const steps = [
    () => samples.create({ title: 'W1' }),
    async () => {
      await cut()
      await samples.create({ title: 'W2' })
    },
  ]
  for await (const { records, total, changes } of samples.watch({ changes: true, limit: 1 })) {
    const created = changes?.created.map(({ data }) => data.title)
    said.push([records[0]?.data.title, total, created ?? null])
    const next = steps.shift()
    if (!next) break
    await next()
  }
  return said
}

/** Returns every change once and in order, although the connection breaks before the first and after each. */
async function followed({ changes }: Library.Client, samples: Samples, cut: () => Promise<unknown>) {
  const titles = ['F1', 'F2', 'F3']
  const said: unknown[] = []
  const ending = new AbortController()
  const query = { after: 'now', kinds: ['record'], include: 'objects', signal: ending.signal } as const
  const stream = changes.follow({ ...query, kinds: [...query.kinds] })[Symbol.asyncIterator]()
  const next = async () => {
    const { done, value } = await stream.next()
    return done ? 'ended' : [value.op, (value.object as Library.Row<'Samples'>).data.title]
  }
  for (const title of titles) {
    const coming = next()
    await cut()
    await samples.create({ title })
    said.push(await coming)
  }
  const ended = next()
  ending.abort()
  return [...said, await ended]
}

/** Calls everything that the client can do, and returns the results. */
export async function scenario(library: Scenario, url: string, key: string) {
  const client = library.createClient({ url: `${url}/`, key })
  const samples = client.records('Samples')
  const cut = async () => {
    await fetch(`${url}/cut`)
  }
  return {
    rows: await rows(samples, library),
    notes: await notes(client),
    watched: await watched(samples, cut),
    followed: await followed(client, samples, cut),
    unknown: await codeOf(library.createClient({ url, key: 'dbk_no' }).notes.list(), library),
    elsewhere: await codeOf(library.createClient({ url: `${url}/cut`, key }).notes.list(), library),
  }
}
