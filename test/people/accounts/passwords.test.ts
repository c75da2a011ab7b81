import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { PASSWORD } from '../../support/browser-client.ts'
import { storedValues } from '../../support/database.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../../support/process.ts'

/** Argon2id with 64 MiB of memory and two passes. */
const COST = /^\$argon2id\$v=19\$m=65536,t=2,p=1\$/

const folder = newFolder()
const file = folder.file('daybook.db')
let server: ServerProcess | undefined

const storedHash = () => storedValues<string>(file, 'SELECT password_hash FROM users')[0]

describe('each guess of a password costs 64 MiB and two passes', () => {
  afterEach(() => server?.end())
  afterAll(() => folder.remove())

  test('when it is set with a setup link in a server', async () => {
    server = await startProcess(file)
    const token = /#setup=(\S+)/.exec(server.err())?.[1]
    const { status } = await server.request(
      'POST',
      '/app/api/setup',
      { token, password: PASSWORD },
      { 'sec-fetch-site': 'same-origin' },
    )
    expect([status, storedHash()]).toEqual([200, expect.stringMatching(COST)])
  })

  test('when it is set on the command line', async () => {
    const before = storedHash()
    const { exitCode } = await daybook(['users', 'password', 'owner', '--db', file], { input: PASSWORD })
    expect([exitCode, storedHash()]).toEqual([0, expect.stringMatching(COST)])
    expect(storedHash()).not.toBe(before)
  })
})
