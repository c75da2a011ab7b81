import type { AppContext, PasswordCost } from '../../context.ts'
import { Admission, type AdmissionPlace } from '../../lib/admission.ts'
import { atPlace, invalid, unavailable } from '../../lib/refusal.ts'
import { codePointLength } from '../../lib/text.ts'
import type { Reader } from '../../storage/reader.ts'

const MIN_LENGTH = 10
const MAX_LENGTH = 200
/** The cost of each guess of a password: 64 MiB and two passes over that memory. */
const PASSWORD_COST: PasswordCost = { memoryCost: 65_536, timeCost: 2 }
/** Hashing occupies a core and 64 MiB for several hundred milliseconds, so few hashes run at a time. */
const MAX_RUNNING = 2
const MAX_WAITING_PER_LINE = 16
/** Members of one household or office share an address. */
const MAX_WAITING_PER_KEY = 4
const RETRY_AFTER_SECONDS = 2

/**
 * The queues for hashing. `users` have a key, a session or a setup link; `visitors` have the URL of a share. Addresses
 * from which the user has signed in before have a separate queue from all others.
 */
type Line = 'users' | 'known addresses' | 'visitors' | 'addresses'

export type HashingPlace = AdmissionPlace<Line> & { readonly line: Line }

/** Returns the password; refuses one that is not 10 to 200 characters long. */
export function checkedPassword(password: string): string {
  const length = codePointLength(password)
  if (length >= MIN_LENGTH && length <= MAX_LENGTH) return password
  throw invalid(`A password must be ${MIN_LENGTH} to ${MAX_LENGTH} characters long.`, atPlace('password'))
}

type Hashing = Pick<AppContext, 'passwordCost'> & { readonly db: Reader }

/**
 * Hashes a password. Callers must first check that the password may be set, because a hash occupies a place in a
 * limited queue.
 */
export const hashPassword = (
  password: string,
  place: HashingPlace,
  { passwordCost = PASSWORD_COST, db }: Hashing,
): Promise<string> =>
  admissionOf(db).run(place, () => Bun.password.hash(password, { algorithm: 'argon2id', ...passwordCost }))

/** A hash that no password matches. */
const hashOfNoUser = ({ memoryCost, timeCost }: PasswordCost) =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${'A'.repeat(43)}$${'A'.repeat(43)}`

/** Whether the password matches this hash. Without a hash it never matches, and takes the same time. */
export async function isPassword(
  password: string,
  hash: string | null,
  place: HashingPlace,
  { passwordCost = PASSWORD_COST, db }: Hashing,
): Promise<boolean> {
  const compared = hash ?? hashOfNoUser(passwordCost)
  const isSame = await admissionOf(db).run(place, () => Bun.password.verify(password, compared))
  return isSame && hash !== null
}

const newAdmission = () =>
  new Admission<Line>({
    most: MAX_RUNNING,
    waitingPerLine: MAX_WAITING_PER_LINE,
    waitingPerKey: MAX_WAITING_PER_KEY,
    refusal: () =>
      unavailable('Too many passwords are being checked at this moment; try again.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      }),
  })

const admissionOf = ({ sql }: Reader) => sql.state.of(newAdmission)
