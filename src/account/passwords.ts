import { codePointLength } from '../lib/text.ts'
import { invalid, unavailable } from '../refusal.ts'

const MIN_LENGTH = 10
const MAX_LENGTH = 200
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

/** Hashes with Argon2id. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => Bun.password.hash(password))

let unknownUsersHash: Promise<string> | undefined

/** Whether the password has this hash. Without a hash it never has, and takes the same time. */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  unknownUsersHash ??= hashPassword(crypto.randomUUID())
  const compared = hash ?? (await unknownUsersHash)
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
