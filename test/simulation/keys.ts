import type { Random } from '../../scripts/lib/random.ts'
import { createKey, getKey, revokeKey, setKeyAccess } from '../../src/people/accounts/keys.ts'
import type { Tx } from '../../src/storage/writes/transaction.ts'
import type { Programs } from './programs.ts'
import type { SimulatedServer } from './server.ts'
import { type Sent, Violation, type World } from './world.ts'
import { post, TABLE } from './writers.ts'

/*
 * Holders of keys. Each key is used, loses a part of its access, and ends by expiry or revocation. Requests sent after
 * an acknowledged change of a key follow it.
 */

interface HeldKey {
  readonly id: string
  readonly secret: string
  /** By the wall clock; infinite for a key that does not expire. */
  readonly expiresAt: number
}

const REFUSED = [403, 404]
const MOST_MS = 2_000

export class Keys {
  #count = 0

  constructor(
    private readonly world: World,
    private readonly programs: Programs,
  ) {}

  async use(random: Random): Promise<void> {
    const { server } = this.world
    if (!server) return
    const scope = random.pick(['read', 'write'] as const)
    const key = await this.#create(server, scope, random.chance(0.4) ? 5 + random.below(MOST_MS) : undefined)
    if (!key) return
    await this.#expect(key, { method: 'GET', path: '/v1/notes?limit=1' }, [200])
    if (scope === 'read') await this.#expect(key, post('/v1/notes', { title: 'Never' }), REFUSED)
    const level = random.pick(['none', 'read'] as const)
    const structures = { [this.programs.table]: level }
    const isNarrowed = await this.#administer(server, (tx): true => {
      setKeyAccess(tx, getKey(tx, key.id), { structures })
      return true
    })
    if (!isNarrowed) return
    await this.#expect(
      key,
      { method: 'GET', path: `/v1/records?structure=${TABLE}&limit=1` },
      level === 'read' ? [200] : REFUSED,
    )
    await this.#expect(key, post('/v1/records', { structure: TABLE, data: { key: 'never' } }), REFUSED)
    await this.#end(server, key)
  }

  async #create(
    server: SimulatedServer,
    scope: 'read' | 'write',
    validMs: number | undefined,
  ): Promise<HeldKey | undefined> {
    this.#count += 1
    const name = `key ${this.#count}`
    const expiresAt = validMs === undefined ? null : this.world.platform.now() + validMs
    const created = await this.#administer(
      server,
      (tx): ReturnType<typeof createKey> => createKey(tx, { workspace: 1, user: 1, name, scope, expiresAt }),
    )
    return created && { ...created, expiresAt: expiresAt ?? Number.POSITIVE_INFINITY }
  }

  /** Waits for the expiry of a key, or revokes it; then it opens nothing. */
  async #end(server: SimulatedServer, key: HeldKey): Promise<void> {
    const { platform } = this.world
    const read = { method: 'GET', path: '/v1/notes?limit=1' } as const
    if (key.expiresAt !== Number.POSITIVE_INFINITY) {
      await platform.sleep(Math.max(0, key.expiresAt - platform.now()) + 1)
      return this.#expect(key, read, [200])
    }
    const isRevoked = await this.#administer(server, (tx): true => {
      revokeKey(tx, getKey(tx, key.id))
      return true
    })
    if (isRevoked) await this.#expect({ ...key, expiresAt: 0 }, read, [])
  }

  /** Returns the result of a write on the server once it is acknowledged; undefined if it may be lost. */
  async #administer<Result>(server: SimulatedServer, run: (tx: Tx) => Result): Promise<Result | undefined> {
    const { world } = this
    if (world.server !== server || !world.isUp) return undefined
    const write = run as Parameters<typeof server.ctx.db.write<Result>>[0]
    const result = await world.platform.as(server.process, () =>
      server.ctx.db.write<Result>(write).catch(() => undefined),
    )
    return server.process.isCut ? undefined : result
  }

  /** Sends a request with a key. The response has one of the statuses while the key is valid, and 401 afterwards. */
  async #expect({ secret, expiresAt }: HeldKey, sent: Sent, statuses: readonly number[]): Promise<void> {
    const { world } = this
    const sentAt = world.platform.now()
    const reply = await world.call({ ...sent, key: secret })
    const mayBeValid = sentAt < expiresAt
    const mayHaveExpired = world.platform.now() >= expiresAt
    const allowed = [503, ...(mayBeValid ? statuses : []), ...(mayHaveExpired ? [401] : [])]
    if (reply && !allowed.includes(reply.status))
      throw new Violation(
        `${sent.method} ${sent.path} with a key is answered ${reply.status}, not ${allowed}`,
      )
  }
}
