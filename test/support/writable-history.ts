import { expect } from 'bun:test'
import { Refusal } from '../../src/lib/refusal.ts'
import type { LocalChange } from '../../src/transfer/mirror/overlay/push.ts'
import { History } from './change-history.ts'
import { expireChanges } from './jobs.ts'
import { faultsOf, mirrorOf, type TestMirror } from './mirror.ts'
import { type Client, startService, type TestService } from './service.ts'

/*
 * Random writes of all kinds to a remote and to its writable mirror. The mirror follows, pushes and resets at random
 * moments, over connections that break before or after the remote has processed a request.
 */

export async function objectsOf(client: Client): Promise<string[]> {
  const { body } = await client.get('/v1/changes/snapshot')
  return (body as string).trimEnd().split('\n').slice(1, -1).sort()
}

/** Removes what only one side has: subscriptions are disabled in a copy. */
const withoutWebhooks = (objects: readonly string[]) =>
  objects.filter((line) => !line.startsWith('{"kind":"webhook"'))

const contentOf = (object: unknown): object | null =>
  object === null
    ? null
    : JSON.parse(JSON.stringify(object), (name, value) =>
        ['created_at', 'updated_at', 'deleted_at'].includes(name) ? undefined : value,
      )

interface Line {
  readonly kind: string
  readonly object: { readonly id: unknown }
}

/** Returns the content of each note and record of a side, by id. */
async function contentsOf(client: Client): Promise<Map<unknown, object | null>> {
  const lines = (await objectsOf(client)).map((line): Line => JSON.parse(line))
  return new Map(lines.map(({ object }) => [object.id, contentOf(object)]))
}

export async function runWritableHistory(seed: number, steps: number): Promise<void> {
  const service = await startService()
  const there = new History(service, seed)
  for (let step = 0; step < 40; step++) await there.step()
  let fault: 'none' | 'before' | 'after' = 'none'
  const broken = () => new Response('', { status: 502 })
  const mirror = await mirrorOf(service, {
    isWritable: true,
    between: async (_, answer) => {
      if (fault === 'before') return broken()
      const answered = await answer()
      return fault === 'after' ? broken() : answered
    },
  })
  const { random } = there
  const breaking = async (run: () => Promise<unknown>): Promise<void> => {
    fault = random.pick(['before', 'after'] as const)
    await run().catch(() => {})
    fault = 'none'
  }
  const here = new History({ ...mirror, clock: service.clock } as unknown as TestService, seed + 1_000)
  const steppedHere = () =>
    here.step().catch((error) => {
      if (!(error instanceof Refusal && error.code === 'mirror')) throw error
    })
  const changes = () => mirror.localChanges()
  // A repeated push whose response was lost gets its original response, whatever changed on the remote since.
  let isRepeated = false
  const followed = async () => {
    await follow(mirror, changes)
    isRepeated = false
  }
  for (let step = 0; step < steps; step++) {
    await (random.chance(0.5) ? there.step() : steppedHere())
    if (random.chance(0.02)) await expireChanges(service.ctx)
    if (random.chance(0.2)) await followed()
    if (random.chance(0.1)) {
      await push(service, mirror, changes, isRepeated)
      isRepeated = true
    }
    if (random.chance(0.05)) {
      await breaking(() => mirror.push())
      isRepeated = true
    }
    if (random.chance(0.05)) await breaking(() => mirror.catchUp())
    if (random.chance(0.05) && changes().length > 0) await mirror.reset(random.pick(changes()).id)
  }
  await follow(mirror, changes)
  expect(faultsOf(mirror)).toEqual([])
  await mirror.reset()
  expect(changes()).toEqual([])
  expect(await mirror.differing()).toEqual([])
  expect(withoutWebhooks(await objectsOf(mirror))).toEqual(withoutWebhooks(await objectsOf(service)))
  expect(faultsOf(mirror)).toEqual([])
  await mirror.close()
  service.close()
}

/** Local changes stay unless the remote has them as well. Beneath them, the copy equals the remote. */
async function follow(mirror: TestMirror, changes: () => readonly LocalChange[]): Promise<void> {
  const before = changes()
  await mirror.catchUp()
  expect(await mirror.differing()).toEqual([])
  const after = new Map(changes().map((change) => [change.id, change]))
  const ofRemote = new Map<unknown, object | null>()
  for (const { id, kind, op, after: object } of before) {
    if (kind === 'note') {
      // Its tags and properties may have been renamed or deleted.
      const [one, other] = [object, after.get(id)?.after ?? object]
      expect([id, one?.title, one?.content]).toEqual([id, other?.title, other?.content])
    } else if (after.has(id)) expect(contentOf(after.get(id)?.after)).toEqual(contentOf(object))
    else {
      if (ofRemote.size === 0) for (const [key, value] of await contentsOf(mirror)) ofRemote.set(key, value)
      expect([id, op, ofRemote.get(id) ?? null]).toEqual([id, op, contentOf(object)])
    }
  }
}

/** A push applies entirely or not at all; a repeated push applies once. */
async function push(
  service: TestService,
  mirror: TestMirror,
  changes: () => readonly LocalChange[],
  isRepeated: boolean,
): Promise<void> {
  const before = changes()
  const remote = await objectsOf(service)
  try {
    await mirror.push()
  } catch (error) {
    expect(await objectsOf(service)).toEqual(remote)
    expect(before.some(({ id }) => String(error).includes(id)) || before.length > 1_000).toBe(true)
    return
  }
  const pushed = await contentsOf(service)
  for (const { id, after, kind } of isRepeated ? [] : before) {
    const found = pushed.get(id) ?? null
    if (kind === 'record') expect([id, found]).toEqual([id, contentOf(after)])
    else expect([id, found === null]).toEqual([id, after === null])
  }
  const end = await objectsOf(service)
  await mirror.push().catch(() => {})
  expect(await objectsOf(service)).toEqual(end)
}
