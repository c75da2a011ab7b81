import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach } from 'bun:test'
import { readFileSync } from 'node:fs'
import { targetSettings } from '../../src/backup-config.ts'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import { openTarget } from '../../src/operation/backups/open-target.ts'
import { type BackupMessage, runBackups } from '../../src/operation/backups/run.ts'
import { temporaryPrefix } from '../../src/operation/backups/temporary.ts'
import { copyVerified } from '../../src/storage/copy.ts'
import { addUser } from './backed-up.ts'
import { runInProcess } from './cli.ts'
import { newFolder } from './process.ts'
import { type S3Server, startS3Server } from './s3-server.ts'

/* Backups of a small database in a store of this process. The users in a backup tell its state. */

export const BUCKET = 's3://backups/daybook'

/** The process of a server that uploads its log. */
export function uploaderOf({ pid: server }: { readonly pid: number }): number {
  const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8').trim().split(' ')
  return Number(
    children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('stream-backups')) ?? 0,
  )
}

export interface RunOptions {
  readonly clock?: Clock
  readonly recipients?: readonly string[]
  readonly identity?: string
  readonly keep?: number
  readonly drillEveryMs?: number
  readonly everyMs?: number
}

export class OffSite {
  folder: ReturnType<typeof newFolder> = newFolder()
  store!: S3Server

  get db(): string {
    return this.folder.file('daybook.db')
  }

  get env(): Record<string, string> {
    return {
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      DAYBOOK_BACKUP_ENDPOINT: this.store.url,
    }
  }

  /** Makes a backup, if one is due, and returns what was reported. */
  async run(options: RunOptions = {}): Promise<BackupMessage[]> {
    const { clock = systemClock, recipients = [], identity, keep = 7, drillEveryMs, everyMs = 1 } = options
    const messages: BackupMessage[] = []
    const settings = targetSettings(BUCKET, {}, this.env)
    await runBackups({
      target: openTarget(settings, { db: this.db, clock, recipients }),
      everyMs,
      keep,
      drillEveryMs,
      identity,
      clock,
      folderPrefix: temporaryPrefix(this.db),
      copy: async (file) => {
        const database = new Database(this.db, { readonly: true })
        copyVerified(database, file)
        database.close()
      },
      check: async (file) => {
        const { out } = await runInProcess(['check', '--db', file])
        return out === 'ok\n' ? [] : [out]
      },
      report: (message) => void messages.push(message),
    })
    return messages
  }

  async list(): Promise<string[]> {
    const { out } = await runInProcess(['backups', 'list', BUCKET, '--json'], { env: this.env })
    return JSON.parse(out).backups.map(({ name }: { name: string }) => name)
  }

  /** Restores into a new file; returns the file with the outcome. */
  async restore(...args: string[]) {
    const file = this.folder.file(`restored-${crypto.randomUUID()}.db`)
    return { file, ...(await runInProcess(['restore', BUCKET, '--db', file, ...args], { env: this.env })) }
  }

  latest = (): { name: string; size: number; sha256: string; at: string } =>
    JSON.parse(new TextDecoder().decode(this.store.objects.get('daybook/latest.json')))

  keys = () => [...this.store.objects.keys()].map((key) => key.slice('daybook/'.length)).sort()
}

/** An empty store before each test of a file, beside a database with the users `owner` and `early`. */
export function offSiteForEach(): OffSite {
  const made = new OffSite()
  beforeAll(async () => {
    await runInProcess(['serve', '--port', '0', '--log-level', 'silent', '--db', made.db])
    await addUser('early', made.db)
  })
  beforeEach(() => {
    made.store = startS3Server()
  })
  afterEach(() => made.store.stop())
  afterAll(() => made.folder.remove())
  return made
}
