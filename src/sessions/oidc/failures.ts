import { Refusal, type RefusalCode } from '../../refusal.ts'

/** Why nobody got in with the provider, or was linked to it: in the address of the page that says it in words. */
export type FailureReason =
  /** The provider does not answer. */
  | 'unreachable'
  /** The person did not agree there. */
  | 'cancelled'
  /** It was not begun in this browser, took too long, or has ended already. */
  | 'expired'
  /** What the provider answered cannot be trusted. */
  | 'failed'
  /** Nobody here has this account. */
  | 'unknown'
  /** The account opens no workspace any more. */
  | 'closed'
  /** Somebody else here has this account. */
  | 'taken'
  /** The person has another account already. */
  | 'linked'
  | 'link-used'
  | 'name-taken'
  /** Who links an account must be signed in, and begin at the application. */
  | 'signed-out'
  | 'sign-in-again'
  | 'cross-site'

export class SignInFailure extends Error {
  constructor(
    readonly reason: FailureReason,
    options?: ErrorOptions,
  ) {
    super(reason, options)
  }
}

const REASON_OF_REFUSAL: Partial<Record<RefusalCode, FailureReason>> = {
  name_taken: 'name-taken',
  refused: 'name-taken',
  unauthorized: 'closed',
}

/** The reason in what the library or a service threw. */
export function reasonOf(error: unknown): FailureReason {
  if (error instanceof SignInFailure) return error.reason
  if (error instanceof Refusal) return REASON_OF_REFUSAL[error.code] ?? 'failed'
  const { error: said, cause } = error as { error?: unknown; cause?: unknown }
  if (said === 'access_denied') return 'cancelled'
  return cause instanceof SignInFailure ? cause.reason : 'failed'
}
