import { textIndexFill } from '../../../src/records/structures/storage/text-index.ts'
import { wordOfRank } from '../corpus.ts'
import { BIG, type World } from './world.ts'

/** Sends one request, reads the whole response, and returns its status and text. */
export type Send = (
  method: string,
  path: string,
  body?: unknown,
  key?: string,
) => Promise<{ status: number; text: string }>

export interface Setting {
  readonly world: World
  readonly send: Send
  /** Runs a command of the executable on the same database; the last argument starting with `--db` is the file. */
  readonly command: (...args: string[]) => Promise<number>
  /** Whether the database has a pending job of the kind. */
  readonly hasJob: (kind: string) => boolean
  /** Returns a path in a temporary folder. */
  readonly path: (name: string) => string
  readonly port: number
}

export interface Operation {
  readonly what: string
  /** The limit for the operation itself. */
  readonly withinMs?: number
  /** The limit for one longer write wait while this many rows are indexed, in place of the usual limit. */
  readonly pauseMs?: (rows: number) => number
  /** Runs before the measurement. */
  readonly prepare?: (setting: Setting) => Promise<void>
  /** Returns the results: statuses or exit codes. */
  readonly run: (setting: Setting) => Promise<readonly number[]>
}

export const statuses = async (
  requests: readonly Promise<{ status: number }>[],
): Promise<readonly number[]> => [...new Set((await Promise.all(requests)).map(({ status }) => status))]

const times = <Item>(count: number, make: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => make(at))

/** A read with the read-only key. */
const get = (what: string, path: string | ((world: World) => string)): Operation => ({
  what,
  run: ({ world, send }) => {
    const target = typeof path === 'string' ? path : path(world)
    return statuses([send('GET', target, undefined, world.readKey)])
  },
})

const query = (what: string, body: (tags: readonly number[], property: string) => unknown): Operation => ({
  what,
  run: async ({ world, send }) => {
    const { text } = await send('GET', '/v1/tags')
    const { properties } = JSON.parse((await send('GET', '/v1/properties')).text)
    const tags = (JSON.parse(text).tags as { id: number }[]).map(({ id }) => id)
    return statuses([send('POST', '/v1/notes/query', body(tags, properties[0].id), world.readKey)])
  },
})

function encoded(parameters: Record<string, unknown>): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    query.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  return query
}

const records = (parameters: Record<string, unknown>) =>
  `/v1/records?${encoded({ structure: 'entries', ...parameters })}`
const summary = (parameters: Record<string, unknown>) =>
  `/v1/records/summary?${encoded({ structure: 'entries', ...parameters })}`
const filter = (field: string, op: string, value?: unknown) => ({ filter: [{ field, op, value }] })

const DATES = times(500, (at) => new Date(Date.UTC(2024, 0, 1 + at)).toISOString().slice(0, 10))

/** The maximum number of reads until an index is built. */
const MAX_FILTERS = 400

async function indexesBuilt(send: Send): Promise<number> {
  const { text } = await send('GET', '/metrics')
  return Number(/^daybook_index_builds_total (\d+)$/m.exec(text)?.[1] ?? Number.NaN)
}

export const RECORD_READS: readonly Operation[] = [
  get('filter a text without an index', records(filter('remark', 'contains', 'zzz'))),
  get(
    '50 such conditions',
    records({ filter: times(50, (at) => ({ field: 'remark', op: 'contains', value: wordOfRank(at) })) }),
  ),
  get('not_in of 500 dates on a datetime field', records(filter('at', 'not_in', DATES))),
  get(
    '50 times not_in of 200 numbers',
    records({
      filter: times(50, () => ({ field: 'amount', op: 'not_in', value: times(200, (at) => at) })),
    }),
  ),
  get(
    'in of 500 texts',
    records(
      filter(
        'code',
        'in',
        times(500, (at) => `code ${at}x`),
      ),
    ),
  ),
  get('neq of a text of 50,000 characters', records(filter('remark', 'neq', 'x'.repeat(50_000)))),
  get('search rows for a rare word', records(filter('*', 'contains', wordOfRank(15_000)))),
  get('search rows for a common word', records(filter('*', 'contains', wordOfRank(2)))),
  get('search rows for one character', records(filter('*', 'contains', 'e'))),
  get('page of 500 rows at the end', ({ rows }) => records({ limit: '500', offset: String(rows - 500) })),
  {
    what: 'first page of rows that are all far away, ten times',
    run: async ({ world, send }) => {
      const find = async (parameters: Record<string, unknown>) =>
        send('GET', records(parameters), undefined, world.readKey)
      const { text } = await find({
        direction: 'asc',
        limit: '1',
        offset: String(Math.floor(world.rows / 5)),
      })
      const [row] = JSON.parse(text).records as { created_at: string }[]
      const results: { status: number }[] = []
      for (let at = 0; at < 10; at++) results.push(await find(filter('created_at', 'lt', row?.created_at)))
      return statuses(results.map(async (result) => result))
    },
  },
  get('sort by a text, page at half', ({ rows }) =>
    records({ sort: 'remark', limit: '500', offset: String(Math.floor(rows / 2)) }),
  ),
  get('summary of all rows', summary({ field: 'amount' })),
  get(
    'summary per day in a time zone',
    summary({ field: 'amount', period: 'day', date: 'at', tz: 'Asia/Kathmandu' }),
  ),
  get('summary per value of a text', summary({ field: 'amount', by: 'city', period: 'month', date: 'due' })),
  get('summary per value with too many', summary({ by: 'code' })),
  ...['city', 'code'].map(
    (field): Operation => ({
      what: `filters on ${field} until its index is built`,
      pauseMs: (rows) => (rows > 100_000 ? 3_000 : 200),
      run: async ({ world, send }) => {
        const built = await indexesBuilt(send)
        const found = new Set<number>()
        for (let at = 0; at < MAX_FILTERS && (await indexesBuilt(send)) === built; at++) {
          const path = records(filter(field, 'eq', `${wordOfRank(at)} ${at}`))
          found.add((await send('GET', path, undefined, world.readKey)).status)
          await Bun.sleep(50)
        }
        return [...found, (await indexesBuilt(send)) - built]
      },
    }),
  ),
  {
    what: 'searches of rows until their text index is filled',
    run: async ({ world, send, hasJob }) => {
      const built = await indexesBuilt(send)
      const found = new Set<number>()
      for (let at = 0; at < MAX_FILTERS && (await indexesBuilt(send)) === built; at++) {
        const path = records(filter('*', 'contains', `${wordOfRank(at)} ${wordOfRank(at + 1)}`))
        found.add((await send('GET', path, undefined, world.readKey)).status)
        await Bun.sleep(50)
      }
      while (hasJob(textIndexFill.kind)) await Bun.sleep(100)
      return [...found, (await indexesBuilt(send)) - built]
    },
  },
  {
    what: '20 heavy reads at once',
    run: ({ world, send }) =>
      statuses(
        times(20, (at) =>
          send('GET', records(filter('remark', 'contains', `q${at}`)), undefined, world.readKey),
        ),
      ),
  },
]

const leafOfTitle = (value: string) => ({ type: 'field', field: 'title', op: 'contains', value })
const group = (children: readonly unknown[], match = 'any') => ({ type: 'group', match, children })

export const NOTE_READS: readonly Operation[] = [
  query('tree of 50 titles', () => ({ filter: group(times(50, (at) => leafOfTitle(`zz${at}`))) })),
  query('tree of 50 conditions on a property', (_, property) => ({
    filter: group(
      times(50, (at) => ({ type: 'property', def_id: property, op: 'contains', value: `zz${at}` })),
      'none',
    ),
  })),
  query('tree of 50 conditions on 500 tags each', (tags) => ({
    filter: group(times(50, () => ({ type: 'tags', op: 'has_none', tag_ids: tags.slice(0, 500) }))),
  })),
  query('tree of 50 lists of 500 texts', (_, property) => ({
    filter: group(
      times(50, (at) => ({
        type: 'property',
        def_id: property,
        op: 'not_in',
        value: times(500, (text) => `${at} ${text}`),
      })),
      'all',
    ),
  })),
  query('tree with a search of a common word', () => ({ filter: leafOfTitle('e'), search: wordOfRank(2) })),
  query('tree with a list of a million tags', () => ({
    filter: { type: 'tags', op: 'has_any', tag_ids: times(1_000_000, () => 1) },
  })),
  query('body of 10 MB that is refused', () => ({ filter: leafOfTitle('x'), limit: 'x'.repeat(10_000_000) })),
  query('body of a million unknown members', () => Object.fromEntries(times(700_000, (at) => [`m${at}`, 1]))),
  get('search a common word', `/v1/notes?search=${wordOfRank(0)}`),
  get('search a phrase of common words', `/v1/notes?search=%22${wordOfRank(0)}+${wordOfRank(1)}%22`),
  get('search 30 common words', `/v1/notes?search=${times(30, wordOfRank).join('+')}`),
  get('search a prefix', '/v1/notes?search=kab*'),
  get('search a short prefix', '/v1/notes?search=b*'),
  get('search a common word, 200 notes by title', `/v1/notes?search=${wordOfRank(1)}&sort=title&limit=200`),
  get(
    'notes by title, page at the end',
    ({ notes }) => `/v1/notes?sort=title&limit=200&offset=${notes - 200}`,
  ),
  get(
    'notes of a tag of all notes, page at the end',
    ({ notes }) => `/v1/notes?tag=everywhere&limit=200&offset=${notes - 200}`,
  ),
  get('page of 200 notes of 1,000,000 characters', '/v1/notes?tag=big&limit=200'),
  get('search in notes of 1,000,000 characters', `/v1/notes?search=${wordOfRank(7)}&tag=big&limit=200`),
  {
    what: 'the same page ten times at once',
    run: ({ world, send }) =>
      statuses(times(10, () => send('GET', '/v1/notes?tag=big&limit=200', undefined, world.readKey))),
  },
  get('links of a note with a link from every note', ({ hub }) => `/v1/notes/${hub}/links`),
  get('graph', '/v1/graph'),
  get('tags, properties and counts', '/v1/tags'),
  get('counts of the workspace', '/v1/workspace'),
  get('search the text of files', `/v1/files/search?q=${wordOfRank(5)}&limit=200`),
  get('text of a file', ({ file }) => `/v1/files/${file}/text?max_chars=200000`),
]

/** Requests a shared page at an even rate, however long responses take: visitors do not wait for each other. */
const visits = (what: string, share: (setting: Setting) => Promise<object>): Operation => ({
  what: `1,000 visits a second to ${what}, for 3 s`,
  run: async (setting) => {
    const made = await setting.send('POST', '/v1/shares', await share(setting))
    const url = `http://127.0.0.1:${setting.port}${new URL(JSON.parse(made.text).share.url).pathname}`
    const visit = async () => {
      const response = await fetch(url)
      await response.arrayBuffer()
      return response
    }
    const begun = performance.now()
    const sent: Promise<{ status: number }>[] = []
    for (let ms = 0; ms < 3_000; ms = performance.now() - begun) {
      while (sent.length < ms) sent.push(visit())
      await Bun.sleep(1)
    }
    return statuses(sent)
  },
})

const ofRows =
  (view: object) =>
  async ({ send }: Setting) => {
    const body = { structure: 'entries', name: JSON.stringify(view), ...view }
    const { row_view } = JSON.parse((await send('POST', '/v1/records/views', body)).text)
    return { kind: 'row_view', target_id: row_view.id }
  }

const PASSAGE =
  'A **line** of text with a [link](https://example.com/page), [[a note|another]] and `code`, that goes on for a while.\n\n'

/** Requests of visitors without an account. */
export const VISITS: readonly Operation[] = [
  visits('a note', async ({ world }) => ({ kind: 'note', target_id: world.smallNote })),
  visits('a note of 50,000 characters', async ({ send }) => {
    const content = PASSAGE.repeat(Math.ceil(50_000 / PASSAGE.length))
    const { note } = JSON.parse((await send('POST', '/v1/notes', { title: 'Shared', content })).text)
    return { kind: 'note', target_id: note.id }
  }),
  visits('a table', ofRows({ kind: 'table' })),
  visits('a month', ofRows({ kind: 'calendar', date_field: 'due' })),
  visits('a form', async ({ send }) => {
    const { structure } = JSON.parse((await send('GET', '/v1/records/structures/small')).text)
    return { kind: 'form', target_id: structure.id }
  }),
]

const patch = (what: string, path: (world: World) => string, body: unknown): Operation => ({
  what,
  run: ({ world, send }) => statuses([send('PATCH', path(world), body)]),
})

const filler = 'A line of text that goes on for a while.\n'
const longText = (at: number) => filler.repeat(Math.floor(BIG / filler.length) - 1) + at
const manyLinks = () => times(90_000, (at) => `[[n ${at}]]`).join('')

const batch = (size: number) => ({
  structure: 'entries',
  rows: times(size, (at) => ({
    data: { title: `New ${at}`, amount: at, remark: `${wordOfRank(at)} words` },
  })),
})

const LONG_FIELDS = times(92, (at) => ({ key: `f${at}`, type: 'text' }))
const longRow = (mark: number) =>
  Object.fromEntries(
    LONG_FIELDS.map(({ key }) => [key, mark + filler.repeat(Math.floor(98_000 / filler.length))]),
  )

async function changeFields({ send }: Setting, change: (fields: Record<string, unknown>[]) => unknown[]) {
  const { structure } = JSON.parse((await send('GET', '/v1/records/structures/entries')).text)
  return statuses([send('PATCH', '/v1/records/structures/entries', { fields: change(structure.fields) })])
}

const withFlag = (key: string, more: Record<string, unknown>) => (fields: Record<string, unknown>[]) =>
  fields.map((field) => (field.key === key ? { ...field, ...more } : field))

export const WRITES: readonly Operation[] = [
  {
    what: 'batch of 500 rows, 20 at once',
    run: ({ send }) => statuses(times(20, () => send('POST', '/v1/records', batch(500)))),
  },
  {
    what: 'note of 1,000,000 characters, 60 at once',
    run: ({ send }) =>
      statuses(times(60, (at) => send('POST', '/v1/notes', { title: `Long ${at}`, content: longText(at) }))),
  },
  {
    what: 'row of 9 MB: create, patch, delete, restore',
    run: async ({ send }) => {
      await send('POST', '/v1/records/structures', { name: 'long', fields: LONG_FIELDS })
      const made = await send('POST', '/v1/records', { structure: 'long', data: longRow(0) })
      const path = `/v1/records/${JSON.parse(made.text).records[0].id}`
      const results = [made]
      results.push(await send('PATCH', path, { data: longRow(1) }))
      results.push(await send('PATCH', path, { data: { f0: 'short' } }))
      results.push(await send('DELETE', path))
      results.push(await send('POST', `${path}/restore`))
      return statuses(results.map(async (result) => result))
    },
  },
  patch('note of 90,000 links', ({ bigNotes }) => `/v1/notes/${bigNotes[0]}`, { content: manyLinks() }),
  {
    what: 'append to a note of 1,000,000 characters, 60 times',
    run: async ({ world, send }) => {
      const path = `/v1/notes/${world.bigNotes[1]}`
      await send('PATCH', path, { content: longText(0).slice(0, BIG - 10_000) })
      return statuses(times(60, (at) => send('POST', `${path}/append`, { text: `line ${at}` })))
    },
  },
  get('its revisions', ({ bigNotes }) => `/v1/notes/${bigNotes[1]}/revisions?limit=200`),
  patch('rename a note with a link from every note', ({ hub }) => `/v1/notes/${hub}`, { title: 'Hub 2' }),
  patch('the same, links rewritten', ({ hub }) => `/v1/notes/${hub}`, { title: 'Hub', rewrite_links: true }),
  patch('rename a note with links from 5,000 notes, links rewritten', ({ middle }) => `/v1/notes/${middle}`, {
    title: 'Mean',
    rewrite_links: true,
  }),
  {
    what: 'undo that',
    run: async ({ world, send }) => {
      const newest = async (before: string) =>
        JSON.parse((await send('GET', `/v1/changes?before=${before}&limit=1000&kinds=note`)).text)
      for (let before = 'now', hasMore = true; hasMore; ) {
        const { changes, cursor, has_more } = await newest(before)
        const renamed = changes.find(
          ({ id, changed }: { id: string; changed: string[] }) =>
            id === world.middle && changed.includes('title'),
        )
        if (renamed) return statuses([send('POST', '/v1/changes/undo', { transaction: renamed.transaction })])
        before = cursor
        hasMore = has_more
      }
      return []
    },
  },
  {
    what: 'link 500 tags to a tag of 3,000 notes',
    run: async ({ send }) => {
      const { tags } = JSON.parse((await send('GET', '/v1/tags')).text) as {
        tags: { id: number; name: string }[]
      }
      const some = tags.find(({ name }) => name === 'some')?.id
      const linked = tags.filter(({ name }) => /^t\d+$/.test(name)).map(({ id }) => id)
      return statuses([send('PUT', `/v1/tags/${some}/links`, { linked_tag_ids: linked })])
    },
  },
  patch('rename a file with links from many notes', ({ file }) => `/v1/files/${file}`, {
    file_name: 'paper.txt',
  }),
  {
    what: 'rename a tag of all notes',
    run: async ({ send }) => {
      const { tags } = JSON.parse((await send('GET', '/v1/tags')).text) as {
        tags: { id: number; name: string }[]
      }
      const id = tags.find(({ name }) => name === 'everywhere')?.id
      return statuses([send('PATCH', `/v1/tags/${id}`, { name: 'all of them' })])
    },
  },
  patch('rename a property of all notes', () => '/v1/properties/everywhere', { key: 'anywhere' }),
  {
    what: 'add a field',
    run: (setting) => changeFields(setting, (fields) => [...fields, { key: 'more', type: 'text' }]),
  },
  {
    what: 'make a field unique',
    run: (setting) => changeFields(setting, withFlag('code', { unique: true })),
  },
  {
    what: 'make a field with equal values unique (refused)',
    run: (setting) => changeFields(setting, withFlag('city', { unique: true })),
  },
  {
    what: 'limit the values of a number',
    run: (setting) => changeFields(setting, withFlag('amount', { min: -5 })),
  },
  {
    what: 'batch of 500 rows beside 25 webhooks of 50 conditions',
    run: async ({ send }) => {
      const conditions = times(50, (at) => ({ field: 'remark', op: 'neq', value: `${at}` }))
      const webhooks = times(25, (at) =>
        send('POST', '/v1/webhooks', {
          structure: 'entries',
          url: `https://hooks.invalid/${at}`,
          events: ['record.created'],
          filter: conditions,
        }),
      )
      await Promise.all(webhooks)
      return statuses(times(4, () => send('POST', '/v1/records', batch(500))))
    },
  },
  {
    what: 'delete a property of all notes',
    run: ({ send }) => statuses([send('DELETE', '/v1/properties/anywhere')]),
  },
  {
    what: 'delete a tag of all notes',
    run: async ({ send }) => {
      const { tags } = JSON.parse((await send('GET', '/v1/tags')).text) as {
        tags: { id: number; name: string }[]
      }
      const id = tags.find(({ name }) => name === 'all of them')?.id
      return statuses([send('DELETE', `/v1/tags/${id}`)])
    },
  },
  {
    what: 'delete a note with a link from every note',
    run: ({ world, send }) => statuses([send('DELETE', `/v1/notes/${world.hub}`)]),
  },
]

export const COMMANDS: readonly Operation[] = [
  { what: 'back up', run: async ({ command, path }) => [await command('backup', path('backup.db'))] },
  { what: 'export', run: async ({ command, path }) => [await command('export', path('exported'))] },
  { what: 'check', run: async ({ command }) => [await command('check')] },
  {
    what: 'add a file of 50 MB',
    run: async ({ command, path }) => {
      await Bun.write(path('big.txt'), filler.repeat(Math.floor(50_000_000 / filler.length)))
      return [await command('files', 'add', path('big.txt'))]
    },
  },
  {
    what: 'delete the structure',
    withinMs: 20_000,
    run: async ({ command }) => [await command('structures', 'delete', 'entries', '--yes')],
  },
]
