import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { faultsIn } from '../support/check.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { runRetention } from '../support/jobs.ts'
import { makeNote } from '../support/notes.ts'
import { indexAll } from '../support/search-tables.ts'
import { startService, type TestService } from '../support/service.ts'

const DAY_MS = 86_400_000

const TAGS = ['a', 'b', 'c', 'd']
const CONTENTS = ['', '[[A note]] [[ padded ]]', '日本語 `[[x]]`', 'plain', '[[a|b]] ![[A NOTE]]']

type Step = (service: TestService, ids: string[]) => Promise<unknown>

const pick = <Item>(items: readonly Item[], at: number): Item | undefined => items[at % (items.length || 1)]
const tag = fc.constantFrom(...TAGS)
const content = fc.constantFrom(...CONTENTS)
const at = fc.nat(1_000)

const tagPath = async (service: TestService, which: number) => {
  const tags = (await service.get('/v1/tags')).body.tags as { id: number }[]
  return `/v1/tags/${pick(tags, which)?.id}`
}

const onNote = (method: string, path: string, body?: fc.Arbitrary<object>): fc.Arbitrary<Step> =>
  fc.tuple(at, body ?? fc.constant(undefined)).map(
    ([which, sent]) =>
      (service, ids) =>
        service.request(method, `/v1/notes/${pick(ids, which)}${path}`, sent),
  )

const steps: fc.Arbitrary<Step>[] = [
  fc.tuple(content, fc.array(tag), at).map(([text, tags, size]) => async (service, ids) => {
    const { id } = await makeNote(service, { content: text, tags, properties: { size } })
    ids.push(id)
  }),
  onNote('PATCH', '', fc.record({ title: fc.constantFrom('A note', ' padded ', 'x'), content })),
  onNote('POST', '/append', fc.record({ text: content })),
  onNote('POST', '/tags', fc.record({ tags: fc.array(tag) })),
  onNote('PATCH', '/properties', fc.record({ size: fc.constantFrom(null, 1, 2) })),
  onNote('DELETE', ''),
  onNote('POST', '/restore'),
  fc.tuple(at, tag).map(
    ([which, name]) =>
      (service, ids) =>
        service.delete(`/v1/notes/${pick(ids, which)}/tags/${name}`),
  ),
  fc.tuple(at, fc.array(at)).map(([which, linked]) => async (service) => {
    const path = await tagPath(service, which)
    const ids = await Promise.all(linked.map(async (one) => Number((await tagPath(service, one)).slice(9))))
    const linked_tag_ids = ids.filter((id) => !path.endsWith(`/${id}`))
    return service.put(`${path}/links`, { linked_tag_ids })
  }),
  fc.tuple(at, tag).map(
    ([which, name]) =>
      async (service) =>
        service.patch(await tagPath(service, which), { name: name.toUpperCase() }),
  ),
  at.map((which) => async (service) => service.delete(await tagPath(service, which))),
  fc.constant((service) => service.get('/v1/notes?search=plain')),
  fc.constant((service) => indexAll(service.ctx)),
  fc.constant((service) => {
    service.clock.advance(31 * DAY_MS)
    return runRetention(service.ctx)
  }),
]

/** Compares the counters of the property with a plain count. */
async function expectState(service: TestService, ids: readonly string[]) {
  let held = 0
  for (const id of ids) {
    const { status, body } = await service.get(`/v1/notes/${id}/properties`)
    if (status === 200 && 'size' in body.properties) held += 1
  }
  expect((await service.get('/v1/properties/size')).body.property.notes_with_value).toBe(held)
}

test(
  'counters, links and search match the notes after any history of writes',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(...steps), { minLength: 30, maxLength: 60 }), async (done) => {
        const service = await startService()
        await service.post('/v1/properties', { key: 'size', type: 'number' })
        const ids: string[] = []
        for (const step of done) await step(service, ids)
        expect(service.logged().filter(({ level }) => level === 'error')).toEqual([])
        expect(faultsIn(service)).toEqual([])
        await expectState(service, ids)
        service.close()
      }),
      { numRuns: runs(12, 1_000) },
    )
  },
  RANDOM_CASES_MS,
)
