import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Outcome } from '../../../test/support/process.ts'
import type { Random } from '../../lib/random.ts'
import type { ClientOptions } from '../client.ts'
import type { Program } from '../server.ts'
import type { Subscription } from '../subscriptions.ts'

/** A change to a key takes effect within a second; the rest allows for a busy machine. */
const KEY_CHANGE_WITHIN_MS = 2_000

export interface CliUserOptions extends ClientOptions {
  readonly program: Program
  readonly random: Random
  readonly subscriptions: readonly Subscription[]
}

/** Runs commands while the server is running. */
export class CliUser {
  readonly #options: CliUserOptions
  /** Ids of the added files. */
  readonly files: string[] = []
  #count = 0

  constructor(options: CliUserOptions) {
    this.#options = options
  }

  async step(): Promise<void> {
    const steps = [this.#key, this.#lists, this.#backup, this.#check, this.#export, this.#addFile, this.#test]
    await this.#options.random.pick(steps).call(this)
  }

  /** A command that fails is a violation, unless there was a fault. */
  async #run(...args: string[]): Promise<Outcome | undefined> {
    const { program, statistics, violations, faultWindows } = this.#options
    const name = `daybook ${args[0]}${/^(keys|files|webhooks|structures)$/.test(args[0] ?? '') ? ` ${args[1]}` : ''}`
    const begin = performance.now()
    const outcome = await program.run(...args)
    statistics.operation(name, outcome.exitCode === 0 ? 'done' : 'refused')
    if (outcome.exitCode === 0) return outcome
    if (!faultWindows.overlaps(begin))
      violations.add('commands', `${name} exited ${outcome.exitCode}: ${outcome.err}${outcome.out}`)
    return undefined
  }

  async #statusFor(key: string): Promise<number> {
    const { server } = this.#options
    const headers = { authorization: `Bearer ${key}` }
    try {
      return (await fetch(`${await server.url}/v1/me`, { headers })).status
    } catch {
      return 0
    }
  }

  /** Expects this status for a key within two seconds, unless a fault occurs meanwhile. */
  async #expectStatus(key: string, expected: number): Promise<void> {
    const { violations, faultWindows } = this.#options
    const begin = performance.now()
    let status = await this.#statusFor(key)
    while (status !== expected && performance.now() - begin < KEY_CHANGE_WITHIN_MS) {
      await Bun.sleep(50)
      status = await this.#statusFor(key)
    }
    if (status !== expected && !faultWindows.overlaps(begin))
      violations.add('commands', `a key gets ${status}, not ${expected}, after ${KEY_CHANGE_WITHIN_MS} ms`)
  }

  async #key(): Promise<void> {
    const created = await this.#run('keys', 'create', '--name', 'passing', '--json')
    if (!created) return
    const { id, key } = JSON.parse(created.out)
    await this.#expectStatus(key, 200)
    if (await this.#run('keys', 'revoke', id)) await this.#expectStatus(key, 401)
  }

  async #lists(): Promise<void> {
    await this.#run('structures', 'list')
    await this.#run('keys', 'list', '--json')
  }

  #newPath(name: string): string {
    return join(dirname(this.#options.program.executable), `${name}-${this.#count++}`)
  }

  /** Checks that a backup is complete, regardless of concurrent activity. */
  async #backup(): Promise<void> {
    const { program, violations } = this.#options
    const file = this.#newPath('backup')
    const made = await this.#run('backup', file)
    if (existsSync(file)) {
      const copy = program.on(file)
      const { exitCode, out, err } = await copy.run('check')
      if (exitCode !== 0) violations.add('commands', `the check of a backup found: ${out}${err}`)
    } else if (made) violations.add('commands', 'there is no backup')
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  }

  async #check(): Promise<void> {
    await this.#run('check')
  }

  async #export(): Promise<void> {
    const folder = this.#newPath('export')
    await this.#run('export', folder)
    rmSync(folder, { recursive: true, force: true })
  }

  async #addFile(): Promise<void> {
    const path = `${this.#newPath('tea')}.md`
    await Bun.write(path, `# Tea\n\n${'Green tea, black tea. '.repeat(200)}\n`)
    const added = await this.#run('files', 'add', path)
    if (added) this.files.push(added.out.trim())
    rmSync(path)
  }

  async #test(): Promise<void> {
    const { subscriptions, random } = this.#options
    if (subscriptions.length > 0) await this.#run('webhooks', 'test', random.pick(subscriptions).id)
  }
}
