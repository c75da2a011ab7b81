import type { AppContext, PasswordCost } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { codePointLength } from '../lib/text.ts'
import { invalid, unavailable } from '../refusal.ts'

const MIN_LENGTH = 10
const MAX_LENGTH = 200
/** What each guess of a password costs, too: 64 MiB and two passes over them. */
const PASSWORD_COST: PasswordCost = { memoryCost: 65_536, timeCost: 2 }
/** Hashing takes a core and 64 MiB for several hundred milliseconds, so few run at a time. */
const MAX_RUNNING = 2
const MAX_WAITING = 50
const RETRY_AFTER_SECONDS = 2

/** Returns the password; refuses one that is not 10 to 200 characters long. */
export function checkedPassword(password: string): string {
  const length = codePointLength(password)
  if (length >= MIN_LENGTH && length <= MAX_LENGTH) return password
  throw invalid(`A password must be ${MIN_LENGTH} to ${MAX_LENGTH} characters long.`)
}

type Hashing = Pick<AppContext, 'passwordCost'> & { readonly db: Reader }

export const hashPassword = (password: string, { passwordCost = PASSWORD_COST, db }: Hashing) =>
  inTurn(db, () => Bun.password.hash(password, { algorithm: 'argon2id', ...passwordCost }))

/** The form of a hash that no password has. */
const hashOfNobody = ({ memoryCost, timeCost }: PasswordCost) =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${'A'.repeat(43)}$${'A'.repeat(43)}`

/** Whether the password has this hash. Without a hash it never has, and takes the same time. */
export async function isPassword(
  password: string,
  hash: string | null,
  { passwordCost = PASSWORD_COST, db }: Hashing,
): Promise<boolean> {
  const compared = hash ?? hashOfNobody(passwordCost)
  const isSame = await inTurn(db, () => Bun.password.verify(password, compared))
  return isSame && hash !== null
}

interface Running {
  count: number
  readonly waiting: (() => void)[]
}

const newRunning = (): Running => ({ count: 0, waiting: [] })

async function inTurn<Result>({ sql }: Reader, work: () => Promise<Result>): Promise<Result> {
  const running = sql.state.of(newRunning)
  if (running.count >= MAX_RUNNING) {
    if (running.waiting.length >= MAX_WAITING) {
      throw unavailable('Too many people are signing in at this moment; try again.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    await new Promise<void>((resolve) => running.waiting.push(resolve))
  } else running.count += 1
  try {
    return await work()
  } finally {
    const next = running.waiting.shift()
    if (next) next()
    else running.count -= 1
  }
}
