import type { AppContext, PasswordCost } from '../context.ts'
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

type Costs = Pick<AppContext, 'passwordCost'>

/** Hashes with Argon2id. */
export const hashPassword = (password: string, { passwordCost = PASSWORD_COST }: Costs = {}) =>
  inTurn(() => Bun.password.hash(password, { algorithm: 'argon2id', ...passwordCost }))

/** The form of a hash that no password has. */
const hashOfNobody = ({ memoryCost, timeCost }: PasswordCost) =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${'A'.repeat(43)}$${'A'.repeat(43)}`

/** Whether the password has this hash. Without a hash it never has, and takes the same time. */
export async function isPassword(
  password: string,
  hash: string | null,
  { passwordCost = PASSWORD_COST }: Costs,
): Promise<boolean> {
  const compared = hash ?? hashOfNobody(passwordCost)
  const isSame = await inTurn(() => Bun.password.verify(password, compared))
  return isSame && hash !== null
}

let running = 0
const waiting: (() => void)[] = []

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= MAX_RUNNING) {
    if (waiting.length >= MAX_WAITING) {
      throw unavailable('Too many people are signing in at this moment; try again.', RETRY_AFTER_SECONDS)
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running += 1
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}
