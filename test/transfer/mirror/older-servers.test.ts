import { afterEach, beforeEach, expect, test } from 'bun:test'
import { ESSENTIAL } from '../../../src/transfer/mirror/missing-attributes.ts'
import {
  type Alter,
  changeAll,
  type FullService,
  mirrorOfAltered,
  startFullService,
} from '../../support/full-service.ts'
import { faultsOf, mirrorOf } from '../../support/mirror.ts'

/* An older server lacks attributes that were added later. A current mirror copies and follows it nevertheless. */

type Kind = keyof typeof ESSENTIAL

let full: FullService
beforeEach(async () => {
  full = await startFullService()
})
afterEach(() => full.service.close())

async function copyAndFollow(alter: Alter): Promise<void> {
  const mirror = await mirrorOfAltered(full.service, alter)
  expect(await mirror.differing()).toEqual([])
  await changeAll(full, 1)
  await mirror.catchUp()
  expect(await mirror.differing()).toEqual([])
  expect(faultsOf(mirror)).toEqual([])
  await mirror.close()
}

test('copies and follows a server that sends only identifying attributes of each kind', async () => {
  expect([...full.examples.keys()].sort()).toEqual(
    Object.keys(ESSENTIAL)
      .filter((kind) => kind !== 'share')
      .sort(),
  )
  await copyAndFollow((kind, object) => {
    for (const name of Object.keys(object)) if (!ESSENTIAL[kind as Kind].includes(name)) delete object[name]
  })
}, 60_000)

interface Transcript {
  /** The cursors of both snapshots; changes happened between them. */
  readonly cursor: string
  readonly last: string
  readonly responses: Readonly<Record<string, { readonly type: string; readonly text: string }>>
}

/** The responses of the build of 23 November 2026: 0.1.0 as well, without row views, sources and `edited_at`. */
const transcript: Transcript = JSON.parse(
  new TextDecoder().decode(Bun.gunzipSync(await Bun.file(`${import.meta.dir}/older-server.json.gz`).bytes())),
)

test('copies, follows and verifies a server of an earlier build as it responded', async () => {
  const { cursor, last, responses } = transcript
  let moment = 'before'
  const nameOf = (url: URL) => {
    if (url.pathname === '/v1/changes/snapshot') return `snapshot ${moment}`
    if (url.pathname !== '/v1/changes') return url.pathname + url.search
    return url.searchParams.get('after') === last ? 'end' : `changes ${moment}`
  }
  const mirror = await mirrorOf(full.service, {
    between: async ({ url }) => {
      const found = responses[nameOf(new URL(url))]
      return found
        ? new Response(found.text, { headers: { 'Content-Type': found.type } })
        : Response.json({ error: 'There is no such endpoint.', code: 'not_found' }, { status: 404 })
    },
  })
  expect(await mirror.differing()).toEqual([])
  moment = 'after'
  expect(cursor).not.toBe(last)
  await mirror.catchUp()
  expect(await mirror.differing()).toEqual([])
  expect(faultsOf(mirror)).toEqual([])
  expect((await mirror.get('/v1/notes')).body.notes).toMatchObject([
    { title: 'Engine', tags: ['drinks', 'work'] },
  ])
  expect((await mirror.get('/v1/records?structure=Books&sort=title')).body.total).toBe(3)
  await mirror.close()
}, 60_000)
