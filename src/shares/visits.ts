import { eq, getTableColumns, sql } from 'drizzle-orm'
import type { AppContext, Caller } from '../context.ts'
import { type Credential, credentialNamed } from '../kernel/call.ts'
import { grantOf, OTHERS } from '../kernel/caller.ts'
import { html } from '../lib/html.ts'
import { Refusal } from '../lib/refusal.ts'
import { Tally } from '../log/objects/tally.ts'
import { isPassword } from '../people/accounts/passwords.ts'
import type { FailedSignIns, SignInOrigin } from '../people/sessions/failed-sign-ins.ts'
import { from, orm, rowBy, runBy } from '../storage/query.ts'
import { shares } from '../storage/schema/shares.ts'
import { pageResponse, SHARE_HEADERS } from './pages/page.ts'

/** A visit to a share without an account, with access to the share's target only. */
export interface Visit {
  readonly share: VisitedShare
  readonly caller: Caller
  readonly base: string
}

export type VisitedShare = NonNullable<ReturnType<typeof findByToken>>

const findByToken = rowBy((token: string) =>
  from(shares, {
    ...getTableColumns(shares),
    workspaceId: sql<string>`(SELECT w.id FROM workspaces w WHERE w.pk = shares.workspace)`,
  }).where(eq(shares.token, token)),
)

export const findShareByPk = rowBy((pk: number) =>
  from(shares, getTableColumns(shares)).where(eq(shares.pk, pk)),
)

const SURFACES = { note: 'share', view: 'share', row_view: 'share', form: 'form' } as const

/** The caller that represents a share, with access to its target only. */
function callerOf(share: VisitedShare): Caller {
  const { kind, workspace, workspaceId, structure } = share
  const ofNotes = structure === null ? 'read' : 'none'
  return {
    workspacePk: workspace,
    workspaceId,
    userId: '',
    keyId: null,
    keyName: share.name ?? kind,
    scope: kind === 'form' ? 'write' : 'read',
    role: kind === 'form' ? 'editor' : 'viewer',
    mayWrite: kind === 'form',
    surface: SURFACES[kind],
    rights: {
      notes: ofNotes,
      files: ofNotes,
      structures: {
        [OTHERS]: 'none',
        ...(structure !== null && { [structure]: kind === 'form' ? 'add' : 'read' }),
      },
    },
  }
}

/** The visit that a token allows at an instant; `isForm` is true for the address of a form. */
export function findVisit({ db, clock }: AppContext, token: string, isForm: boolean): Visit | undefined {
  const share = findByToken(db, token)
  if (!share || (share.kind === 'form') !== isForm) return undefined
  if (share.expiresAt !== null && share.expiresAt <= clock.now()) return undefined
  return { share, caller: callerOf(share), base: `/${isForm ? 'f' : 's'}/${token}` }
}

/**
 * The credential of a post to a form; its files and hidden values are references to other objects. Visitors send no
 * ids, and refusals name no row. The posts of one share are scheduled together.
 */
export function postCredential({ caller, share: { id, structure } }: Visit): Credential {
  const structures = { [OTHERS]: 'read', ...(structure !== null && { [structure]: 'add' }) } as const
  const writer: Caller = { ...caller, rights: { notes: 'read', files: 'write', structures } }
  const needs = { needsOwner: false, needsWrite: true, covers: 'several', isNamed: false } as const
  return credentialNamed(`share ${id}`, grantOf(writer, needs))
}

const OPEN_FOR_SECONDS = 24 * 3_600

/** Proves until an instant that the visitor gave the password; signed with the hash of the password. */
const proofOf = ({ token, passwordHash }: VisitedShare, until: number): string =>
  `${until}.${new Bun.CryptoHasher('sha256', passwordHash ?? '').update(`${token} ${until}`).digest('base64url')}`

const COOKIE = 'daybook_share'

/** Whether the share needs no password, or the visitor has given it within 24 hours. */
export function isOpenFor(request: Request, share: VisitedShare, now: number): boolean {
  if (share.passwordHash === null) return true
  const cookies = request.headers.get('cookie')?.split(/; */) ?? []
  return cookies.some((cookie) => {
    const [, proof = '', until] = /^daybook_share=((\d{1,15})\..*)$/.exec(cookie) ?? []
    if (until === undefined || Number(until) <= now) return false
    const right = Buffer.from(proofOf(share, Number(until)))
    const given = Buffer.from(proof)
    return given.length === right.length && crypto.timingSafeEqual(given, right)
  })
}

const passwordPage = (status: number, sentence?: string, retryAfterSeconds?: number): Response =>
  pageResponse({
    title: 'A password is needed',
    status,
    retryAfterSeconds,
    main: html`<h1>A password is needed</h1>
<p>Ask the sender of the link for it.</p>
<form method="post"><p><label for="password">Password</label>
<input id="password" name="password" type="password" maxlength="200" required autofocus autocomplete="current-password"${
      sentence !== undefined && html` aria-invalid="true" aria-describedby="why"`
    }>${sentence !== undefined && html`<small class="bad" id="why">${sentence}</small>`}</p><button>Open</button></form>`,
  })

export const askForPassword = (): Response => passwordPage(401)

/** Checks a password, with the attempt limits of sign-ins. A correct password is remembered for 24 hours. */
export async function openWithPassword(
  ctx: AppContext,
  failures: FailedSignIns,
  { share, base }: Visit,
  { address, isSecure, password }: { address: string; isSecure: boolean; password: string },
): Promise<Response> {
  const check = ({ address: key }: SignInOrigin) =>
    isPassword(password, share.passwordHash, { line: 'visitors', key }, ctx)
  try {
    if (!(await failures.limit({ user: `share ${share.id}`, address }, check)))
      return passwordPage(401, 'The password is wrong. Ask the sender of the link.')
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'rate_limited') throw error
    return passwordPage(
      429,
      'Too many wrong passwords were tried; wait some minutes.',
      error.retryAfterSeconds,
    )
  }
  const proof = proofOf(share, ctx.clock.now() + OPEN_FOR_SECONDS * 1_000)
  const attributes = `HttpOnly; SameSite=Lax; Max-Age=${OPEN_FOR_SECONDS}${isSecure ? '; Secure' : ''}`
  const headers = new Headers({ ...SHARE_HEADERS, Location: base })
  // Browsers do not treat the table as part of the path of its page.
  for (const path of [base, `${base}.csv`])
    headers.append('Set-Cookie', `${COOKIE}=${proof}; Path=${path}; ${attributes}`)
  return new Response(null, { status: 303, headers })
}

const addUses = runBy((pk: number, uses: number, at: number) =>
  orm
    .update(shares)
    .set({ uses: sql`${shares.uses} + ${uses}`, lastUsedAt: at })
    .where(eq(shares.pk, pk)),
)

/** Counts a row that was written through a form. */
export const countWritten = runBy((pk: number) =>
  orm
    .update(shares)
    .set({ written: sql`${shares.written} + 1` })
    .where(eq(shares.pk, pk)),
)

/** Counts the pages that were shown. */
export const pagesShown = (ctx: AppContext): Tally =>
  new Tally(ctx, 'the uses of shares', (tx, share, uses, at) => void addUses(tx, share, uses, at))
