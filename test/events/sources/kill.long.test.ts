import { expect, test } from 'bun:test'
import { runs } from '../../support/counts.ts'
import { killed } from '../../support/kills.ts'
import { everyPage, everythingAfter } from '../../support/pages.ts'
import type { ServerProcess } from '../../support/process.ts'
import { startReceiver, status } from '../../support/receiver.ts'
import { declare } from '../../support/records.ts'
import { hmac } from '../../support/sources.ts'
import { subscribe, until } from '../../support/webhooks.ts'

const KILLS = runs(3, 200)
const SECRET = 'a secret'
/** The moment of a row follows its event by up to this, while the server runs or is down. */
const MOMENTS_WITHIN_MS = 3_000

async function send(server: ServerProcess, path: string, id: string, body: string) {
  const response = await fetch(server.url + path, {
    method: 'POST',
    body,
    headers: {
      'x-hub-signature-256': `sha256=${hmac(SECRET, body)}`,
      'x-github-delivery': id,
      'x-github-event': 'push',
    },
  })
  const answer = (await response.json()) as { status: string }
  return { status: ['written', 'duplicate'].includes(answer.status) ? response.status : 0, body: answer }
}

/** The number of deliveries of a source, page by page. */
async function countDeliveries(server: ServerProcess, path: string): Promise<number> {
  let count = 0
  for (let before = ''; ; ) {
    const { deliveries } = (await server.get(`${path}?limit=200${before && `&before=${before}`}`)).body
    count += deliveries.length
    if (deliveries.length < 200) return count
    before = deliveries.at(-1).id
  }
}

/** Reads and acknowledges the events of a pull subscription, page by page. */
async function pulledFrom(server: ServerProcess, id: string) {
  const payloads: { sequence: number; record: { data: { mark: string } } }[] = []
  for (;;) {
    const { events, has_more } = (await server.get(`/v1/webhooks/${id}/events?limit=200`)).body
    payloads.push(...events.map(({ payload }: { payload: (typeof payloads)[0] }) => payload))
    const cursor = events.at(-1)?.cursor
    if (cursor !== undefined) await server.post(`/v1/webhooks/${id}/events/ack`, { cursor })
    if (!has_more) return payloads
  }
}

test(
  'a kill at any moment neither loses nor repeats an acknowledged event, its row, its due time or its deliveries',
  async () => {
    const receiver = await startReceiver({ answer: status(200) })
    const arrived = (path: string) =>
      Map.groupBy(
        receiver.received.filter((received) => received.path === path).map(({ body }) => JSON.parse(body)),
        ({ record }) => record.data.mark as string,
      )
    const passed = () => receiver.received.filter(({ path }) => path === '/passed')
    const webhooks: string[] = []
    let pulled = ''
    const coming = new Set<string>()
    /** The events of each writer, sent until they are acknowledged. */
    const unsent = new Map<string, string>()
    const bodies = new Map<string, string>()
    let source = { id: '', path: '' }
    await killed({
      kills: KILLS,
      writers: 8,
      args: ['--webhook-allow', '127.0.0.1'],
      after: (kill) => 12 + ((kill * 53) % 90),
      prepare: async (server) => {
        await declare(server, 'Marks', [
          { key: 'mark', type: 'text', unique: true },
          { key: 'comes', type: 'datetime' },
        ])
        const url = `http://127.0.0.1:${receiver.port}`
        for (const [path, events, more] of [
          ['marks', 'record.created', {}],
          ['due', 'record.due', { due: { field: 'comes' } }],
        ] as const)
          webhooks.push(
            (await subscribe(server, 'Marks', `${url}/${path}`, { events: [events], ...more })).id,
          )
        const { body } = await server.post('/v1/sources', {
          name: 'Marks',
          structure: 'Marks',
          provider: 'github',
          secret: SECRET,
          map: { mark: '/mark', comes: { path: '/comes', as: 'epoch_ms' } },
          forward: [{ url: `${url}/passed` }],
        })
        const pull = { structure: 'Marks', delivery: 'pull', ordered: true, events: ['record.created'] }
        pulled = (await server.post('/v1/webhooks', pull)).body.webhook.id
        source = { id: body.source.id, path: new URL(body.source.url).pathname }
      },
      next: ({ name, count, objects }) => {
        const repeated = count % 7 === 0 ? [...objects.keys()].at(-1) : undefined
        const mark = unsent.get(name) ?? repeated ?? `${name} ${count}`
        const comes = Date.now() + ((count * 389) % MOMENTS_WITHIN_MS)
        const body = bodies.get(mark) ?? JSON.stringify({ mark, comes })
        bodies.set(mark, body)
        unsent.set(name, mark)
        return {
          subject: mark,
          state: { rows: 1, events: ['written'] },
          send: async (server) => {
            const answer = await send(server, source.path, mark, body)
            unsent.delete(name)
            return answer
          },
        }
      },
      found: async (server) => {
        const rows = await everyPage(server, '/v1/records?structure=Marks&limit=500', 'records')
        for (const { data, created_at } of rows)
          if (Date.parse(data.comes) > Date.parse(created_at)) coming.add(data.mark)
        const path = `/v1/sources/${source.id}/events?limit=200`
        const events = Map.groupBy(
          await everythingAfter(server, path, 'events', 'start'),
          (event) => event.external_id,
        )
        const byMark = Map.groupBy(rows, ({ data }) => data.mark as string)
        return new Map(
          [...new Set([...events.keys(), ...byMark.keys()])].map((mark) => [
            mark,
            {
              id: '',
              state: {
                rows: byMark.get(mark)?.length ?? 0,
                events: events.get(mark)?.map((event) => event.status) ?? [],
              },
            },
          ]),
        )
      },
      finish: async (server, happened) => {
        const marks = [...new Set(happened.map(({ subject }) => subject))].sort()
        await until(() => coming.isSubsetOf(arrived('/due')))
        for (const id of webhooks)
          await until(
            async () =>
              (await server.get(`/v1/webhooks/${id}/deliveries?status=pending`)).body.deliveries.length === 0,
          )
        expect([...arrived('/marks').keys()].sort()).toEqual(marks)
        for (const copies of [...arrived('/marks').values(), ...arrived('/due').values()])
          expect(new Set(copies.map(({ id }) => id)).size).toBe(1)
        const passedOn = `/v1/sources/${source.id}/deliveries`
        await until(async () => (await server.get(`${passedOn}?status=pending`)).body.deliveries.length === 0)
        expect([...new Set(passed().map(({ body }) => JSON.parse(body).mark as string))].sort()).toEqual(
          marks,
        )
        expect(await countDeliveries(server, passedOn)).toBe(marks.length)
        for (const { body, headers } of passed())
          expect(headers['x-hub-signature-256']).toBe(`sha256=${hmac(SECRET, body)}`)
        const payloads = await pulledFrom(server, pulled)
        expect(payloads.map(({ record }) => record.data.mark).sort()).toEqual(marks)
        expect(payloads.map(({ sequence }) => sequence)).toEqual(marks.map((_, index) => index + 1))
        const { counts } = (await server.get(`/v1/sources/${source.id}`)).body.source
        expect(counts.written).toBe(marks.length)
      },
    })
    await receiver.close()
  },
  60_000 + KILLS * 4_000,
)
