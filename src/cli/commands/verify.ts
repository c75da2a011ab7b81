import { readSecret } from '../../config.ts'
import { secretError, verifyDelivery } from '../../events/delivery/verify-signature.ts'
import { systemClock } from '../../lib/clock.ts'
import { refused } from '../../lib/refusal.ts'
import { type Command, flag, type Input, SECRET_FLAG, WrongUsage } from '../command.ts'

function headersOf({ flags }: Input): Map<string, string> {
  const given = Array.isArray(flags.header) ? flags.header.map(String) : []
  return new Map(
    given.map((text) => {
      const [, name, value = ''] = /^([!-9;-~]+):([^\n]*)$/.exec(text) ?? []
      if (name === undefined) throw new WrongUsage(`--header must be "Name: value", not "${text}".`)
      return [name.toLowerCase(), value.trim()]
    }),
  )
}

export const verify: Command = {
  name: 'verify',
  summary: 'Verify the signatures of a received delivery, and report which step fails.',
  flags: [
    SECRET_FLAG,
    flag('--header <name: value>', 'a received header; headers without a signature are ignored', {
      isRepeatable: true,
    }),
  ],
  remarks: [
    'Reads the raw body from standard input. Checks X-Service-Signature, the headers of Standard Webhooks',
    '(webhook-id, webhook-timestamp, webhook-signature), or both, whichever are given. Exits 0 when the delivery is',
    'valid, and 1 when a step fails: a missing header, its format, its age (300 seconds), the secret, the signature.',
  ],
  examples: [
    `DAYBOOK_SECRET=whsec_… daybook verify --header 'X-Service-Signature: t=1795253400,v1=5f0c…' < body.json`,
    `DAYBOOK_SECRET=whsec_… daybook verify --header 'webhook-id: 019a…' --header 'webhook-timestamp: 1795253400' \\
    --header 'webhook-signature: v1,K5oZ…' < body.json`,
  ],
  run: async (input, io) => {
    const headers = headersOf(input)
    const secret = readSecret(io.env, input.flags)
    if (secret === undefined) throw new WrongUsage('"verify" needs DAYBOOK_SECRET, or --secret <secret>.')
    const error = secretError(secret)
    if (error !== undefined) throw refused(error)
    const verifications = verifyDelivery({ headers, body: await io.readAll() }, secret, systemClock.now())
    for (const { scheme, errors } of verifications) {
      for (const sentence of errors) io.err(`${scheme}: ${sentence}\n`)
      if (errors.length === 0) io.out(`${scheme}: good\n`)
    }
    return verifications.every(({ errors }) => errors.length === 0) ? 0 : 1
  },
}
