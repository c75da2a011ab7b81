import { dirname } from 'node:path'
import { type Subprocess, spawn } from 'bun'
import type { Outcome } from '../../test/support/process.ts'

export type Child = Subprocess<'ignore', 'pipe', 'pipe'>

/** The executable with the database that it works on. */
export class Program {
  constructor(
    readonly executable: string,
    readonly db: string,
    /** All that its processes have in their environment. */
    readonly env: Record<string, string>,
  ) {}

  /** The same program on another database. */
  on(db: string): Program {
    return new Program(this.executable, db, this.env)
  }

  start(args: readonly string[]): Child {
    return spawn([this.executable, ...args, '--db', this.db], {
      cwd: dirname(this.executable),
      env: this.env,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
  }

  /** Runs one command to its end. */
  async run(...args: string[]): Promise<Outcome> {
    const child = this.start(args)
    const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { exitCode, out, err }
  }
}
