import { afterEach, beforeEach, expect, test } from 'bun:test'
import { ESSENTIAL } from '../../src/mirror/missing-attributes.ts'
import { changeAll, type FullService, mirrorOfAltered, startFullService } from '../support/full-service.ts'
import { faultsOf } from '../support/mirror.ts'

/* Of all attributes that objects have, a mirror needs only those that identify an object. */

type Kind = keyof typeof ESSENTIAL

let full: FullService
beforeEach(async () => {
  full = await startFullService()
})
afterEach(() => full.service.close())

/** What follows from an attribute differs without it, as the copy computes it: counts of notes, the filter as a sentence. */
const FOLLOWING: Readonly<Record<string, string>> = {
  'note.tags': 'tag',
  'note.properties': 'property',
  'view.filter': 'view',
}

const KINDS = (Object.keys(ESSENTIAL) as Kind[]).filter((kind) => kind !== 'share')

test.each(KINDS)(
  'copies and follows a server that lacks any attribute of a %s but those that identify it',
  async (kind) => {
    const names = Object.keys(full.examples.get(kind) ?? {}).filter((name) => !ESSENTIAL[kind].includes(name))
    expect(names.length).toBeGreaterThan(1)
    for (const [at, name] of names.entries()) {
      const following = FOLLOWING[`${kind}.${name}`]
      const mirror = await mirrorOfAltered(full.service, (of, object) => {
        if (of === kind) delete object[name]
      })
      const differing = async () =>
        (await mirror.differing()).filter((object) => object.split(' ')[0] !== following)
      expect([name, await differing()]).toEqual([name, []])
      await changeAll(full, at + 1)
      await mirror.catchUp()
      expect([name, await differing()]).toEqual([name, []])
      expect(faultsOf(mirror)).toEqual([])
      await mirror.close()
    }
  },
  600_000,
)
