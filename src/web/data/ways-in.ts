import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser'
import { Refused, request } from './request.ts'
import { refreshSession, signIn } from './session.ts'
import { listOf } from './settings.ts'

/* How people sign in besides a password. It is loaded with the screens that need it. */

export interface Passkey {
  readonly id: string
  readonly name: string
  readonly created_at: string
  readonly last_used_at: string | null
  readonly synced: boolean
}

type Creation = Parameters<typeof startRegistration>[0]['optionsJSON']
type Request = Parameters<typeof startAuthentication>[0]['optionsJSON']

/** Whether the browser has passkeys here: never for an address in place of a name. */
export const hasPasskeys = (): boolean =>
  browserSupportsWebAuthn() && !/^(?:\[|\d+(?:\.\d+){3}$)/.test(location.hostname)

/** What the browser's dialog threw, as a sentence. */
function inWords(error: unknown): unknown {
  const { code, name } = error as { code?: string; name?: string }
  if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
    return new Error('This device has a passkey of yours already; use another one, or go on with it.')
  if (name === 'NotAllowedError' || name === 'AbortError')
    return new Error('No passkey was used: the dialog of the browser was closed, or took too long.')
  return error
}

const requestOptions = () => request<Request>('POST', '/app/api/session/options')

/** Signs in with a passkey that the person chooses in the dialog of the browser. */
export async function signInWithPasskey(): Promise<void> {
  const optionsJSON = await requestOptions()
  const passkey = await startAuthentication({ optionsJSON }).catch((error) => {
    throw inWords(error)
  })
  await signIn({ passkey })
}

/** Shorter than a challenge is valid. */
const AUTOFILL_MS = 4 * 60_000

/**
 * Has the browser offer its passkeys where the name is typed, until the returned function is called; `signIn` is called with
 * the one that is chosen.
 */
export function offerPasskeys(signIn: (passkey: object) => Promise<unknown>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  const offer = async (): Promise<void> => {
    if (isOver || !hasPasskeys() || !(await browserSupportsWebAuthnAutofill())) return
    const optionsJSON = await requestOptions()
    if (isOver) return
    clearTimeout(timer)
    // The dialog that opens ends the one before it.
    timer = setTimeout(again, AUTOFILL_MS)
    const chosen = startAuthentication({
      optionsJSON,
      useBrowserAutofill: true,
      verifyBrowserAutofillInput: false,
    })
    const passkey = await chosen.catch(() => undefined)
    if (passkey && !isOver) await signIn(passkey)
  }
  // Where it fails, people still have the button and the password.
  const again = () => void offer().catch(() => undefined)
  again()
  return () => {
    isOver = true
    clearTimeout(timer)
    WebAuthnAbortService.cancelCeremony()
  }
}

const passkeys = listOf<'passkeys', Passkey>('passkeys')

export const usePasskeys = passkeys.use
export const renamePasskey = (id: string, name: string) => passkeys.change('PATCH', `/${id}`, { name })
export const removePasskey = (id: string) => passkeys.change('DELETE', `/${id}`)

export async function addPasskey(name: string): Promise<void> {
  const optionsJSON = await request<Creation>('POST', '/app/api/passkeys/options')
  const response = await startRegistration({ optionsJSON }).catch((error) => {
    throw inWords(error)
  })
  await passkeys.change('POST', '', { name, response })
}

export const listPasskeys = () => request<{ passkeys: Passkey[] }>('GET', '/app/api/passkeys')

/** What the button of the provider says; null without one. */
export const providerName = async (): Promise<string | null> =>
  (await request<{ oidc_name: string | null }>('GET', '/app/api/sign-in')).oidc_name

/** Leaves for the provider, which leads back to the path. */
export function goToProvider(path: string, purpose?: 'link'): void {
  const query = new URLSearchParams({ ...(purpose && { link: '1' }), return: path })
  location.assign(`/app/sign-in/oidc?${query}`)
}

export async function unlinkProvider(): Promise<void> {
  await request('DELETE', '/app/api/oidc')
  await refreshSession()
}

export const isSignInNeeded = (error: unknown): boolean =>
  error instanceof Refused && error.code === 'sign_in_again'

/** Of whom a setup link is, and how they sign in without it. */
export interface SetupUser {
  readonly user: { readonly name: string }
  readonly has_password: boolean
  readonly passkeys: readonly Passkey[]
  readonly oidc_linked: boolean
}

export const readSetup = (token: string) =>
  request<SetupUser>('POST', '/app/api/setup/sign-in', { body: { token } })

/** Leaves for the provider, whose account takes the place of a password. */
export async function setUpAtProvider(token: string, user: string | undefined): Promise<void> {
  const { url } = await request<{ url: string }>('POST', '/app/api/setup/oidc', { body: { token, user } })
  location.assign(url)
}

/** Why the provider let nobody in, by the reason in the address. */
export const REASONS: Readonly<Record<string, string>> = {
  unreachable: 'The provider does not answer. Try again later, or sign in another way.',
  cancelled: 'You did not agree at the provider, so nobody was signed in.',
  expired: 'This took too long, or was begun in another browser. Try again.',
  failed:
    'The provider’s answer could not be trusted, so nobody was signed in. Try again; if it goes on, ask whoever runs this server.',
  unknown:
    'Nobody here has this account. Ask an owner of the workspace for a link, and use it with the account.',
  closed: 'This account opens no workspace here any more. Ask an owner of the workspace.',
  taken: 'Somebody else here has this account. Unlink it there first, or use another one.',
  linked: 'You are linked to an account already. Unlink it first.',
  'link-used':
    'The setup link was used meanwhile, has expired, or was replaced by a newer one. Ask for a new one.',
  'name-taken':
    'The name is taken or cannot be chosen with this link. Open the link again and choose another one.',
  'signed-out': 'Your session has ended. Sign in, then link the account again.',
  'sign-in-again': 'Linking an account needs a sign-in of the last 10 minutes. Sign in again, then link it.',
  'cross-site': 'Linking an account begins here: press the button.',
}
