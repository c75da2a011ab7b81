import { Database } from 'bun:sqlite'
import { createIdSource } from '../../../src/lib/ids.ts'
import { sha256 } from '../../../src/lib/sha256.ts'
import { State } from '../../../src/lib/state.ts'
import { disconnect, findApp } from '../../../src/people/accounts/apps.ts'
import { createKey, findKey, revokeKey } from '../../../src/people/accounts/keys.ts'
import { hashPassword } from '../../../src/people/accounts/passwords.ts'
import {
  deleteMember,
  deleteUser,
  endSessionsOf,
  listWorkspaces,
  saveProviderLink,
  setMember,
  setPasswordHash,
} from '../../../src/people/accounts/store.ts'
import { addUser } from '../../../src/people/accounts/users.ts'
import { refresh } from '../../../src/people/oauth/tokens.ts'
import { newToken } from '../../../src/people/sessions/cookie.ts'
import { insertPasskey } from '../../../src/people/sessions/passkey-store.ts'
import { insertSession } from '../../../src/people/sessions/sessions.ts'
import type { Db } from '../../../src/storage/database.ts'
import type { Reader } from '../../../src/storage/reader.ts'
import { Sql } from '../../../src/storage/sql.ts'
import type { Tx } from '../../../src/storage/writes/transaction.ts'
import { SoftwarePasskey } from '../../support/authenticator.ts'
import { PASSWORD } from '../../support/browser-client.ts'
import { CLIENT, connectAppIn } from '../../support/connected-app.ts'
import { CHEAP_PASSWORDS, type TestService } from '../../support/service.ts'

/** The caller of the requests: another owner of the workspace, with a key, a session or a connected app that will end. */
export interface Subject {
  readonly service: TestService
  readonly kind: 'key' | 'session' | 'app'
  readonly workspacePk: number
  readonly userPk: number
  readonly name: string
  readonly keyId: string
  readonly sessionId: string
  readonly appId: string
  readonly refreshToken: string
  readonly passkeyId: string
  /** The browser's request to add a passkey, valid once. */
  readonly newPasskey: object
  readonly headers: Readonly<Record<string, string>>
}

export const HOUR_MS = 3_600_000
let count = 0
let passwordHash: Promise<string> | undefined

/**
 * Creates a subject whose use is already recorded, so that its next request does not write that; with a new passkey
 * only if needed.
 */
export async function newSubject(
  service: TestService,
  kind: Subject['kind'],
  needsPasskey = false,
): Promise<Subject> {
  passwordHash ??= hashPassword(
    PASSWORD,
    { line: 'users', key: '' },
    { passwordCost: CHEAP_PASSWORDS, db: service.ctx.db },
  )
  const hash = await passwordHash
  const name = `Mallory ${++count}`
  const token = newToken()
  const made = await service.ctx.db.write((tx) => {
    const [workspace] = listWorkspaces(tx)
    if (!workspace) throw new Error('there is no workspace')
    const { pk } = addUser(tx, name, workspace, 'owner')
    setPasswordHash(tx, pk, hash)
    const expiresAt = service.clock.now() + HOUR_MS
    const key = createKey(tx, { workspace: workspace.pk, user: pk, name, scope: 'write', expiresAt })
    const app = connectAppIn(tx, name)
    const where = { userPk: pk, workspacePk: workspace.pk, address: '192.0.2.1', userAgent: 'test' }
    const sessionId = insertSession(tx, { hash: sha256(token), ...where })
    saveProviderLink(tx, { user: pk, issuer: 'https://id.example.com', subject: name })
    const passkeyId = tx.newId()
    const passkey = {
      host: 'localhost',
      credential: Buffer.from(name).toString('base64url'),
      publicKey: '',
      counter: 0,
      isSynced: 0,
      transports: '',
    }
    insertPasskey(tx, { id: passkeyId, user: pk, name: 'Laptop', createdAt: tx.now, ...passkey })
    const ids = { workspacePk: workspace.pk, userPk: pk, keyId: key.id, sessionId, passkeyId, appId: app.id }
    const { accessToken, refreshToken } = app
    return { ...ids, refreshToken, secret: key.secret, accessToken }
  })
  const { secret, accessToken, ...ids } = made
  const headers: Record<string, string> =
    kind !== 'session'
      ? { authorization: `Bearer ${kind === 'key' ? secret : accessToken}` }
      : { host: 'localhost', 'sec-fetch-site': 'same-origin', cookie: `daybook_session_8787=${token}` }
  // The session expires at the same time as the key. Its use is recorded here, and not again within a minute.
  const backDate = () =>
    service.ctx.db.write(({ sql, now }): void => {
      const usedAt = now + HOUR_MS - 7 * 24 * HOUR_MS
      sql.run('UPDATE sessions SET last_used_at = ? WHERE id = ?', usedAt, ids.sessionId)
    })
  await backDate()
  await service.app.fetch(new Request('http://localhost/v1/me', { headers }))
  await backDate()
  const newPasskey = needsPasskey ? await madePasskey(service, headers) : {}
  return { service, kind, name, ...ids, newPasskey, headers }
}

async function madePasskey({ app }: TestService, headers: Record<string, string>): Promise<object> {
  const asked = { method: 'POST', headers }
  const response = await app.fetch(new Request('http://localhost/app/api/passkeys/options', asked))
  return new SoftwarePasskey('localhost', 'http://localhost').create(
    (await response.json()) as Parameters<SoftwarePasskey['create']>[0],
  )
}

type End = (tx: Tx, subject: Subject) => unknown

const removed: End = (tx, { workspacePk, userPk }) => deleteMember(tx, workspacePk, userPk)
const deleted: End = (tx, subject) => {
  removed(tx, subject)
  deleteUser(tx, subject.userPk)
}

/** Every way in which a permission ends as a whole. Time advances for keys and sessions that expire. */
export const ENDS: Readonly<Record<Subject['kind'], Readonly<Record<string, End>>>> = {
  key: {
    'its key is revoked': (tx, { keyId }) => {
      const key = findKey(tx, keyId)
      if (key) revokeKey(tx, key)
    },
    'its key expires': (_, { service }) => service.clock.advance(HOUR_MS),
    'its user is removed': removed,
    'its user is deleted': deleted,
  },
  app: {
    'it is disconnected': (tx, { appId }) => {
      const app = findApp(tx, appId)
      if (app) disconnect(tx, app)
    },
    'its used refresh token comes again': (tx, { refreshToken }) => {
      for (let use = 1; use <= 2; use++) refresh(tx, refreshToken, CLIENT, false)
    },
    'its user is removed': removed,
    'its user is deleted': deleted,
  },
  session: {
    'its person signs out': (tx, { sessionId }) => tx.sql.run('DELETE FROM sessions WHERE id = ?', sessionId),
    'its session expires': (_, { service }) => service.clock.advance(HOUR_MS),
    'its password is changed': (tx, { userPk }) => endSessionsOf(tx, userPk),
    'its user is removed': removed,
    'its user is deleted': deleted,
  },
}

/** Lowers the role: an owner becomes an editor or a viewer. */
export const lowered =
  (role: 'editor' | 'viewer'): End =>
  (tx, { workspacePk, userPk }) =>
    setMember(tx, workspacePk, userPk, role)

/** A database in memory has one connection only. */
export const otherConnection = (db: Db): Reader =>
  db.file === ':memory:' ? db : { sql: new Sql(new Database(db.file)) }

/** Ends a permission as another process does, regardless of pending work in this process. */
export function endNow(subject: Subject, end: End): void {
  const { db, clock } = subject.service.ctx
  const now = clock.now()
  const newId = createIdSource()
  const tx = { ...otherConnection(db), now, newId: () => newId(now), afterCommit: () => {} }
  end({ ...tx, transaction: { startedAt: now, state: new State() } }, subject)
}
