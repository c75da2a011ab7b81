import { afterEach, beforeEach, expect, test } from 'bun:test'
import { ESSENTIAL } from '../../../src/transfer/mirror/missing-attributes.ts'
import { hasManyCases } from '../../support/counts.ts'
import { changeAll, type FullService, mirrorOfAltered, startFullService } from '../../support/full-service.ts'
import { faultsOf } from '../../support/mirror.ts'

/* Of all attributes of objects, a mirror needs only the ones that identify an object. */

type Kind = keyof typeof ESSENTIAL

let full: FullService
beforeEach(async () => {
  full = await startFullService()
})
afterEach(() => full.service.close())

/**
 * Derived attributes differ if the attribute that the copy computes them from is missing: counts of notes, and the
 * filter as a sentence.
 */
const FOLLOWING: Readonly<Record<string, string>> = {
  'note.tags': 'tag',
  'note.properties': 'property',
  'view.filter': 'view',
}

const KINDS = (Object.keys(ESSENTIAL) as Kind[]).filter((kind) => kind !== 'share')

const optional = (kind: Kind) =>
  Object.keys(full.examples.get(kind) ?? {}).filter((name) => !ESSENTIAL[kind].includes(name))

/** Copies a server that lacks the attributes in `lacking`, follows a change of every object, and compares the two. */
async function follow(lacking: ReadonlyMap<string, string>, round: number): Promise<void> {
  const following = new Set([...lacking].map(([kind, name]) => FOLLOWING[`${kind}.${name}`]))
  const mirror = await mirrorOfAltered(full.service, (kind, object) => {
    const name = lacking.get(kind)
    if (name !== undefined) delete object[name]
  })
  const differing = async () =>
    (await mirror.differing()).filter((object) => !following.has(object.split(' ')[0]))
  expect([lacking, await differing()]).toEqual([lacking, []])
  await changeAll(full, round)
  await mirror.catchUp()
  expect([lacking, await differing()]).toEqual([lacking, []])
  expect(faultsOf(mirror)).toEqual([])
  await mirror.close()
}

test('copies and follows a server whose objects lack any attribute but those that identify them', async () => {
  const names = new Map(KINDS.map((kind) => [kind, optional(kind)]))
  for (const of of names.values()) expect(of.length).toBeGreaterThan(1)
  // With many cases, one attribute of one kind is missing at a time; otherwise one of each kind.
  const rounds = hasManyCases
    ? [...names].flatMap(([kind, of]) => of.map((name) => new Map([[kind as string, name]])))
    : Array.from(
        { length: Math.max(...[...names.values()].map((of) => of.length)) },
        (_, at) => new Map([...names].flatMap(([kind, of]) => (of[at] ? [[kind as string, of[at]]] : []))),
      )
  for (const [at, lacking] of rounds.entries()) await follow(lacking, at + 1)
}, 1_800_000)
