import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { routesOf } from '../../support/routes.ts'
import { startService, type TestService } from '../../support/service.ts'
import { startSampled } from '../samples.ts'
import { AGENT_ENDPOINT, APPLICATION_ENDPOINTS, ENDPOINTS } from '../specification.ts'
import { CHANGES_NOTHING, isWrite, type Row, table, WITHOUT_CALLER } from './endpoints.ts'
import { beforeIt, duringItsBody, type Interleaving, type Result, whileQueued } from './moments.ts'
import { ENDS, endNow, lowered, newSubject } from './subject.ts'

/*
 * Every endpoint × every way to end a permission × every moment of a request. Nothing is written after the end, and the
 * request gets the refusal that a new request would get. Streams and other threads have their own tests.
 */

const rows = await table()

test('the table has every endpoint of the specification', () => {
  const promised = [...ENDPOINTS, ...APPLICATION_ENDPOINTS, AGENT_ENDPOINT]
    .map(({ method, path }) => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`)
    .filter((name) => !/^GET \/(openapi.json|docs|healthz)$/.test(name) && !WITHOUT_CALLER.includes(name))
  const tested = rows.map(({ name }) => name.replace(/^(POST \/mcp) .*$/, '$1'))
  expect([...new Set(tested)].sort()).toEqual(promised.sort())
})

test('every endpoint with an effect on others has its own test', async () => {
  const service = await startService()
  const open = routesOf(service.app).filter(({ access, method }) => access === 'open' && method !== 'GET')
  expect(open.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
    WITHOUT_CALLER.filter((name) => !name.startsWith('GET ')).sort(),
  )
  service.close()
})

const UNAUTHORIZED = { status: 401, code: 'unauthorized', hasWritten: false }

/** The effect of a lowered role on an endpoint that checks the role itself. */
const WITH_ROLE: Readonly<Record<string, object>> = {
  'POST /app/api/workspaces': { status: 403, code: 'owner_required', hasWritten: false },
  'PATCH /app/api/workspaces/:id': { status: 403, code: 'owner_required', hasWritten: false },
  'DELETE /app/api/keys/:id': { status: 404, code: 'not_found', hasWritten: false },
}

/** The effect of lowering the role just below the endpoint's requirement; undefined if it allows every role. */
function whenLowered({ name, route, needsWrite, tool }: Row) {
  if (route.needsOwner) return { status: 403, code: 'owner_required', hasWritten: false }
  if (needsWrite) return { status: tool === undefined ? 403 : 200, code: 'read_only_key', hasWritten: false }
  return WITH_ROLE[name]
}

const MOMENTS: readonly (readonly [string, Interleaving])[] = [
  ['before it', beforeIt],
  ['during its body', duringItsBody],
  ['while it waits', whileQueued],
]

/** The moments that apply to a request: a read does not wait for writes, and a GET has no body. */
const momentsOf = (row: Row) =>
  MOMENTS.filter(
    ([, moment]) =>
      moment === beforeIt ||
      (moment === duringItsBody && row.route.method !== 'GET') ||
      (moment === whileQueued && isWrite(row)),
  )

const named = rows.map((row) => [row.name, row] as const)

/** The lowered roles to test: editor and viewer where the endpoint requires an owner, otherwise viewer. */
const rolesBelow = (row: Row) =>
  row.route.needsOwner || WITH_ROLE[row.name] ? (['editor', 'viewer'] as const) : (['viewer'] as const)

/** Every way in which the permission for a row ends, with the expected result of its request. */
function endsOf(row: Row) {
  const ends = Object.entries(ENDS[row.kind]).map(([how, end]) => ({
    how,
    end,
    expected: UNAUTHORIZED as object,
  }))
  const expected = whenLowered(row)
  if (!expected) return ends
  return [...ends, ...rolesBelow(row).map((role) => ({ how: `as ${role}`, end: lowered(role), expected }))]
}

describe('a request reads and writes nothing once its permission has ended', () => {
  test.each(named)('%s', async (_, row) => {
    const { service, samples } = await startSampled()
    await row.prepare(service, samples)
    const attempt = async (run: Interleaving, end: Parameters<typeof endNow>[1]) => {
      const subject = await newSubject(service, row.kind, row.needsPasskey)
      return run(subject, row, row.request(samples, subject), () => endNow(subject, end))
    }
    for (const [moment, run] of momentsOf(row))
      for (const { how, end, expected } of endsOf(row))
        expect([moment, how, await attempt(run, end)]).toEqual([moment, how, expected as Result])
    // Without the end of the permission, the request succeeds.
    if (isWrite(row)) {
      const { status, code, hasWritten } = await attempt(whileQueued, () => {})
      expect([status < 300, code, hasWritten]).toEqual([true, undefined, !CHANGES_NOTHING.includes(row.name)])
    }
    service.close()
  })
})

describe('a request of a user who switches to another workspace meanwhile', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
    await service.newWorkspace('Other')
  })
  afterAll(() => service.close())

  test.each([
    ['during its body', duringItsBody],
    ['while it waits', whileQueued],
  ] as const)('%s writes to the workspace where it began', async (_, moment) => {
    const subject = await newSubject(service, 'session')
    const row = rows.find(({ name }) => name === 'POST /v1/notes')
    if (!row) throw new Error('there is no row')
    const made = { path: '/v1/notes', body: { title: subject.name } }
    const { status } = await moment(subject, row, made, () =>
      endNow(subject, (tx) => {
        const other = tx.sql.scalar<number>("SELECT pk FROM workspaces WHERE name = 'Other'")
        tx.sql.run(
          "INSERT INTO members (workspace, user, role) VALUES (?, ?, 'owner')",
          other,
          subject.userPk,
        )
        tx.sql.run('UPDATE sessions SET workspace = ? WHERE id = ?', other, subject.sessionId)
      }),
    )
    expect(status).toBe(201)
    const { notes } = (await service.get('/v1/notes?limit=200')).body
    expect(notes.filter(({ title }: { title: string }) => title === subject.name)).toHaveLength(1)
  })
})
