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

/* Sign-in options besides a password. Loaded only with the screens that need them. */

export interface Passkey {
  readonly id: string
  readonly name: string
  readonly created_at: string
  readonly last_used_at: string | null
  readonly synced: boolean
}

type Creation = Parameters<typeof startRegistration>[0]['optionsJSON']
type Request = Parameters<typeof startAuthentication>[0]['optionsJSON']

/** Whether passkeys can be used: they need browser support and a host name instead of an IP address. */
export const hasPasskeys = (): boolean =>
  browserSupportsWebAuthn() && !/^(?:\[|\d+(?:\.\d+){3}$)/.test(location.hostname)

/** Translates an error of the browser's dialog into a sentence. */
function explain(error: unknown): unknown {
  const { code, name } = error as { code?: string; name?: string }
  if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
    return new Error(
      'This device already has a passkey for your account. Use that one, or add a passkey on another device.',
    )
  if (name === 'NotAllowedError' || name === 'AbortError')
    return new Error('No passkey was used. The browser’s dialog was closed or timed out; try again.')
  return error
}

const requestOptions = () => request<Request>('POST', '/app/api/session/options')

/** Signs in with a passkey selected in the browser's dialog. */
export async function signInWithPasskey(): Promise<void> {
  const optionsJSON = await requestOptions()
  const passkey = await startAuthentication({ optionsJSON }).catch((error) => {
    throw explain(error)
  })
  await signIn({ passkey })
}

/** Shorter than the validity of a challenge. */
const AUTOFILL_MS = 4 * 60_000

/**
 * Offers passkeys as suggestions in the name field, until the returned function is called. Calls `signIn` with the
 * selected passkey.
 */
export function offerPasskeys(signIn: (passkey: object) => Promise<unknown>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  const offer = async (): Promise<void> => {
    if (isOver || !hasPasskeys() || !(await browserSupportsWebAuthnAutofill())) return
    const optionsJSON = await requestOptions()
    if (isOver) return
    clearTimeout(timer)
    // A new request ends the previous one.
    timer = setTimeout(again, AUTOFILL_MS)
    const chosen = startAuthentication({
      optionsJSON,
      useBrowserAutofill: true,
      verifyBrowserAutofillInput: false,
    })
    const passkey = await chosen.catch(() => undefined)
    if (passkey && !isOver) await signIn(passkey)
  }
  // If it fails, the button and the password still work.
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
    throw explain(error)
  })
  await passkeys.change('POST', '', { name, response })
}

export const listPasskeys = () => request<{ passkeys: Passkey[] }>('GET', '/app/api/passkeys')

/** The label of the provider's button; null without a provider. */
export const providerName = async (): Promise<string | null> =>
  (await request<{ oidc_name: string | null }>('GET', '/app/api/sign-in')).oidc_name

/** Opens the page of the provider, which returns to the path. */
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

/** The user of a setup link, with the sign-in options of the account. */
export interface SetupUser {
  readonly user: { readonly name: string }
  readonly has_password: boolean
  readonly passkeys: readonly Passkey[]
  readonly oidc_linked: boolean
}

export const readSetup = (token: string) =>
  request<SetupUser>('POST', '/app/api/setup/sign-in', { body: { token } })

/** Opens the page of the provider, whose account replaces the password. */
export async function setUpAtProvider(token: string, user: string | undefined): Promise<void> {
  const { url } = await request<{ url: string }>('POST', '/app/api/setup/oidc', { body: { token, user } })
  location.assign(url)
}

/** Explanations of a failed sign-in at the provider, by the reason in the address. */
export const PROVIDER_ERRORS: Readonly<Record<string, string>> = {
  unreachable: 'The provider cannot be reached. Try again later, or sign in another way.',
  cancelled: 'Sign-in was cancelled at the provider. Try again, or sign in another way.',
  expired: 'The sign-in took too long or was started in another browser. Try again.',
  failed:
    'The provider’s response could not be verified. Try again; if the error persists, ask the administrator of this server.',
  unknown:
    'This account is not linked to a user. Ask an owner of the workspace for a link, and open it to link the account.',
  closed: 'This account no longer has access to a workspace. Ask an owner of the workspace.',
  taken: 'Another user is linked to this account. Unlink it there first, or use another account.',
  linked: 'You are already linked to an account. Unlink it first.',
  'link-used': 'This link no longer works. Ask for a new one.',
  'name-taken':
    'This name is taken or cannot be used with this link. Open the link again and choose another name.',
  'signed-out': 'Your session has ended. Sign in, then link the account again.',
  'sign-in-again': 'To link an account, sign in again first: your last sign-in was more than 10 minutes ago.',
  'cross-site': 'Start linking an account here, with the button.',
}
