import { createApi } from '../../api.ts'
import type { Config } from '../../config.ts'
import { contextOn } from '../../context.ts'
import { guestCredential, ownCredential } from '../../kernel/call.ts'
import { systemClock } from '../../lib/clock.ts'
import { DAY_MS, isoTimestamp } from '../../lib/dates.ts'
import { createLog } from '../../lib/log.ts'
import { VERSION } from '../../lib/version.ts'
import { addNamedUser, bootstrap } from '../../people/administration.ts'
import { sessionCookie } from '../../people/sessions/cookie.ts'
import { credentials, sessionSettings } from '../../people/sessions/sessions.ts'
import { enterDemo } from '../../people/sessions/sign-in.ts'
import { openDatabase } from '../../storage/database.ts'
import { COLLEAGUES, discuss, failingWebhook, type Post, stripeSource } from './team.ts'

/** The user of a read-only demo. */
export const VIEWER = 'guest'

const BETWEEN_WRITES_MS = 613 * 60_000
/** The last one is some hours before the day begins. */
const WRITES = 38

/** Creates the database of a demo, the same for everyone on the same day; a read-only one has a viewer, too. */
export async function seed(config: Config, isReadOnly: boolean): Promise<void> {
  const today = Math.floor(systemClock.now() / DAY_MS) * DAY_MS
  let now = today - WRITES * BETWEEN_WRITES_MS
  const clock = { ...systemClock, now: () => now }
  const log = createLog('silent', clock, () => {})
  const db = openDatabase({ file: config.db, programVersion: VERSION, clock, log, role: 'server' })
  const ctx = contextOn({ config, db, clock, log, credentials })
  await bootstrap(ctx)
  const api = createApi(ctx)
  const cookie = sessionCookie(false, () => config.port)
  const sessions = new Map<string, { readonly cookie: string; readonly begunAt: number }>()
  /** Everyone writes in the application, and signs in again before the session expires. */
  const signedIn = async (user: string) => {
    const known = sessions.get(user)
    if (known && now - known.begunAt < SESSION_MS) return known.cookie
    await signOut(user)
    const input = { user, browser: { address: LOOPBACK, userAgent: '' }, settings: sessionSettings(ctx) }
    const { token } = await ctx.kernel.call(enterDemo, guestCredential(LOOPBACK), input)
    const [pair = ''] = cookie.set(token, 0).split(';')
    sessions.set(user, { cookie: pair, begunAt: now })
    return pair
  }
  const send = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: string) =>
    api.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { 'sec-fetch-site': 'same-origin', ...headers },
        ...(body !== undefined && { body }),
      }),
    )
  const signOut = async (user: string) => {
    const known = sessions.get(user)
    if (known) await send('DELETE', '/app/api/session', { cookie: known.cookie })
  }
  /** Each write is some time later than the one before. */
  const post: Post = async (path, body, { as = 'owner', headers } = {}) => {
    now += BETWEEN_WRITES_MS
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await send('POST', path, headers ?? { cookie: await signedIn(as) }, text)
    const answer = (await response.json()) as Record<string, unknown>
    if (!response.ok) throw new Error(`${path}: ${answer.error}`)
    return answer
  }
  try {
    const member = { workspace: undefined, origin: '' }
    for (const name of COLLEAGUES)
      await ctx.kernel.call(addNamedUser, ownCredential('nothing'), { ...member, name, role: 'editor' })
    await fill(post, {
      day: (days) => isoTimestamp(today + days * DAY_MS).slice(0, 10),
      // The signature of a call names the time at which it arrives.
      nextNow: () => now + BETWEEN_WRITES_MS,
    })
    for (const user of sessions.keys()) await signOut(user)
    if (isReadOnly)
      await ctx.kernel.call(addNamedUser, ownCredential('nothing'), {
        ...member,
        name: VIEWER,
        role: 'viewer',
      })
  } finally {
    api.stop()
    await ctx.kernel.close()
    db.close()
  }
}

const LOOPBACK = '127.0.0.1'
const SESSION_MS = 4 * DAY_MS

const BATCH = 500

interface Days {
  /** The date some days after today. */
  readonly day: (days: number) => string
  /** The instant of the next write. */
  readonly nextNow: () => number
}

async function fill(post: Post, { day, nextNow }: Days): Promise<void> {
  for (const structure of STRUCTURES) await post('/v1/records/structures', structure)
  const write = async (structure: string, rows: readonly object[]) => {
    const written: { id: string }[] = []
    for (let at = 0; at < rows.length; at += BATCH) {
      const some = rows.slice(at, at + BATCH).map((data) => ({ data }))
      written.push(...((await post('/v1/records', { structure, rows: some })).records as { id: string }[]))
    }
    return written.map(({ id }) => id)
  }
  const buyers = await write('Customers', customers())
  const ordered = orders(buyers, day)
  const [dueToday = ''] = await write('Orders', ordered.slice(0, -1))
  await write('Expenses', expenses(day))
  for (const view of ROW_VIEWS) await post('/v1/records/views', view)
  await post('/v1/properties', { key: 'status', type: 'select', options: ['open', 'waiting', 'done'] })
  const { property } = (await post('/v1/properties', { key: 'due', type: 'date' })) as {
    property: { id: string }
  }
  let discussed = ''
  for (const { due, isPinned, ...note } of NOTES) {
    const properties = { ...note.properties, ...(due !== undefined && { due: day(due) }) }
    const created = (await post('/v1/notes', { ...note, properties })) as { note: { id: string } }
    if (note.title === 'Long table') discussed = created.note.id
    if (isPinned) await post('/v1/quick-access', { note_id: created.note.id })
  }
  const filter = {
    type: 'property',
    def_id: property.id,
    op: 'within',
    value: { relative: { n: 7, unit: 'day' } },
  }
  const sort = { field: 'property', property: 'due', direction: 'asc' }
  await post('/v1/views', { name: 'Due this week', filter, sort, display_properties: ['due', 'status'] })
  await failingWebhook(post)
  await write('Orders', ordered.slice(-1))
  await stripeSource(post, nextNow)
  await discuss(post, { note: discussed, order: dueToday })
  await post('/v1/notes', { title: day(0), content: TODAY })
}

/** The content of a demo: the books of a small workshop. */

const STRUCTURES = [
  {
    name: 'Customers',
    description: 'The customers of the workshop.',
    label_field: 'name',
    fields: [
      { key: 'name', type: 'text', required: true, unique: true },
      { key: 'city', type: 'text' },
      { key: 'kind', type: 'select', options: ['private', 'shop', 'office'] },
      { key: 'newsletter', type: 'bool' },
    ],
  },
  {
    name: 'Orders',
    description: 'Ordered pieces, with customers and due dates.',
    label_field: 'title',
    fields: [
      { key: 'title', type: 'text', required: true },
      { key: 'stage', type: 'select', options: ['asked', 'offered', 'building', 'delivered'] },
      { key: 'customer', type: 'record', structure: 'Customers' },
      { key: 'price', type: 'number', unit: 'EUR', min: 0 },
      { key: 'start', type: 'date' },
      { key: 'due', type: 'date' },
      { key: 'paid', type: 'bool' },
    ],
  },
  {
    name: 'Expenses',
    label_field: 'what',
    fields: [
      { key: 'what', type: 'text', required: true },
      { key: 'kind', type: 'select', options: ['wood', 'tools', 'rent', 'travel'] },
      { key: 'amount', type: 'number', unit: 'EUR' },
      { key: 'day', type: 'date' },
    ],
  },
]

const ROW_VIEWS = [
  { structure: 'Orders', name: 'Board', kind: 'board', group_by: 'stage', sort: 'due', direction: 'asc' },
  { structure: 'Orders', name: 'Calendar', kind: 'calendar', date_field: 'due' },
  {
    structure: 'Orders',
    name: 'In the workshop',
    kind: 'calendar',
    date_field: 'start',
    end_field: 'due',
    filter: [
      { field: 'stage', op: 'eq', value: 'building' },
      { field: 'price', op: 'gte', value: 1_200 },
    ],
  },
  {
    structure: 'Orders',
    name: 'Not paid',
    filter: [
      { field: 'stage', op: 'eq', value: 'delivered' },
      { field: 'paid', op: 'neq', value: true },
    ],
    sort: 'due',
    direction: 'asc',
  },
]

/** Reproducible pseudo-random numbers below a limit (Lehmer). */
function numbers(start: number): (limit: number) => number {
  let state = start
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647
    return state % limit
  }
}

const FIRST = ['Ada', 'Bruno', 'Chiara', 'Dmitri', 'Elif', 'Farid', 'Greta', 'Hana', 'Ines', 'Jonas']
const LAST = ['Berg', 'Costa', 'Duval', 'Engel', 'Fischer', 'Haddad']
const CITIES = ['Lyon', 'Graz', 'Porto', 'Gent', 'Turin', 'Bergen']

const customers = () =>
  LAST.flatMap((last, row) =>
    FIRST.map((first, column) => ({
      name: `${first} ${last}`,
      city: CITIES[(row + column) % CITIES.length],
      kind: ['private', 'private', 'shop', 'office'][(row + 3 * column) % 4],
      newsletter: (row + column) % 3 === 0,
    })),
  )

const WOODS = ['Oak', 'Ash', 'Walnut', 'Cherry', 'Larch']
const PIECES = ['table', 'bench', 'bookshelf', 'chair', 'cabinet', 'bed', 'desk', 'stool']
const ORDERS = 260
/** The number of days before and after today. */
const DAYS_AROUND = 60
const DUE_TODAY = 3

function orders(customers: readonly string[], day: (days: number) => string): object[] {
  const next = numbers(7)
  return Array.from({ length: ORDERS }, (_, at) => {
    const lasts = 3 + next(18)
    const start = at < DUE_TODAY ? -lasts : next(2 * DAYS_AROUND) - DAYS_AROUND
    const due = start + lasts
    const isOver = due < 0
    const stage = isOver ? 'delivered' : start < 0 ? 'building' : ['asked', 'offered'][next(2)]
    return {
      title: `${WOODS[next(WOODS.length)]} ${PIECES[next(PIECES.length)]}`,
      stage,
      customer: customers[next(customers.length)],
      price: 120 + 20 * next(95),
      start: day(start),
      due: day(due),
      paid: isOver && next(5) > 0,
    }
  })
}

const BOUGHT = {
  wood: ['Oak boards', 'Ash boards', 'Veneer'],
  tools: ['Saw blades', 'Sandpaper', 'Glue'],
  travel: ['Train', 'Van'],
}
const EXPENSES = 240

function expenses(day: (days: number) => string): object[] {
  const next = numbers(11)
  return Array.from({ length: EXPENSES }, (_, at) => {
    const kind = (['wood', 'wood', 'tools', 'travel'] as const)[next(4)] ?? 'wood'
    const what = BOUGHT[kind]
    if (at % 20 === 0) return { what: 'Rent', kind: 'rent', amount: 850, day: day(-15 * (at / 10)) }
    return { what: what[next(what.length)], kind, amount: (400 + next(30_000)) / 100, day: day(-next(360)) }
  })
}

interface Note {
  readonly title: string
  readonly content: string
  readonly tags?: readonly string[]
  readonly alias?: string
  readonly properties?: Readonly<Record<string, unknown>>
  /** Days until it is due. */
  readonly due?: number
  readonly isPinned?: true
}

/** The note of the day on which the demo starts. */
const TODAY =
  '- [x] oil the bench\n- [ ] answer Mira about the [[Long table]]\n- [ ] load the van for the [[Fair in Turin]]'

const NOTES: readonly Note[] = [
  {
    title: 'Reclaimed beams',
    content:
      'The barn near Graz is taken down in spring. Forty beams of larch, some with nails.\n\n- [ ] ask for the moisture\n- [ ] find a lorry\n\nWould do for the [[Long table]].',
    tags: ['wood', 'idea'],
    properties: { status: 'waiting' },
    due: 12,
  },
  {
    title: 'Oil finish',
    content:
      '1. Sand to 240, wet, sand again.\n2. Thin coat, wait 20 minutes, wipe.\n3. After a day the same once more.\n\n> Rags with oil can catch fire: into water, at once.\n\nFor tops see also [[Soap finish]].',
    tags: ['recipe'],
    alias: 'oil',
  },
  {
    title: 'Soap finish',
    content:
      'For ash and oak that shall stay pale. 50 g of flakes in a litre of hot water, over night. Cheaper than [[oil]], and to be done again each year.',
    tags: ['recipe'],
  },
  {
    title: 'Long table',
    content:
      '3.40 m, for twelve. Top of three boards, **no** breadboard ends.\n\n| Part | Wood | Count |\n| --- | --- | --- |\n| Board | larch | 3 |\n| Leg | oak | 4 |\n\nFinish: [[Oil finish]]. Wood: perhaps the [[Reclaimed beams]].',
    tags: ['project'],
    properties: { status: 'open' },
    due: 5,
    isPinned: true,
  },
  {
    title: 'Meeting with the landlord',
    content:
      'The lease ends in autumn; the owner would extend it by five years. A second door is possible if we pay for it.\n\n- [x] measure the wall\n- [ ] offer for the door → [[Workshop plan]]',
    tags: ['work/meetings'],
    properties: { status: 'open' },
    due: 2,
  },
  {
    title: 'Workshop plan',
    content:
      'Saw to the north wall, bench to the light. Lanes of 90 cm.\n\n```\n+-------+--------+\n| saw   | boards |\n| bench | door   |\n+-------+--------+\n```\n\nDecided in [[Meeting with the landlord]].',
    tags: ['work', 'idea'],
    properties: { status: 'open' },
    due: 20,
  },
  {
    title: 'Fair in Turin',
    content:
      'Two days, a stand of 3 × 2 m. We take the stools and one [[Long table]].\n\n- [ ] book the van\n- [ ] cards with prices\n- [ ] sleep',
    tags: ['work/travel'],
    properties: { status: 'open' },
    due: 6,
  },
  {
    title: 'Books on joints',
    content:
      'Three worth keeping: one on dovetails, one on chairs, one on Japanese joinery (木組み). Notes go into [[Joints]].',
    tags: ['reading'],
  },
  {
    title: 'Joints',
    content:
      'Mortise and tenon: a third of the thickness. Draw-bored pegs hold without glue.\n\nFrom [[Books on joints]].',
    tags: ['recipe', 'reading'],
  },
  {
    title: 'Welcome',
    content:
      'This is the workspace of a small workshop that does not exist. Change anything: it is deleted when the demo ends.\n\n- Notes link to each other: [[Long table]], [[Oil finish]], and one that is not written yet, [[Cherry chair]].\n- **Tables** has Customers, Orders, Expenses and Payments. Orders have a board and a calendar.\n- **Webhooks** has a receiver that fails, and a Stripe source with two events that its map does not fit.\n- Mira and Tom discuss the [[Long table]]; mentions of you are in the **Inbox**.\n- The view *Due this week* moves with the day.\n- Ctrl+K finds everything; ? shows the keys.\n- Every change can be undone, under Changes.',
    isPinned: true,
  },
]
