import { createReadStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { refused } from '../../lib/refusal.ts'
import {
  type BackupTarget,
  type DocumentName,
  instantOf,
  type MakeCopy,
  type StoredBackup,
  timeName,
} from './target.ts'

const NAME = /-(\d{4}-\d{2}-\d{2}T\d{6}Z)\.db(\.partial-\d+)?$/

interface FoundFile extends StoredBackup {
  readonly isPartial: boolean
}

/**
 * Plain copies in a folder, `daybook-2026-11-22T093000Z.db`. A copy gets its name once it is verified
 * (`storage/copy.ts`). Other files in the folder, and backups of other databases, are left alone.
 */
export class FolderTarget implements BackupTarget {
  /** `base` is the name of the database file without `.db`. */
  constructor(
    readonly name: string,
    private readonly base: string,
    private readonly clock: Clock,
  ) {}

  async clean(): Promise<void> {
    mkdirSync(this.name, { recursive: true })
    for (const file of this.#find()) if (file.isPartial) await this.remove(file)
  }

  list = async (): Promise<StoredBackup[]> =>
    this.#find().flatMap(({ isPartial, ...backup }) => (isPartial ? [] : [backup]))

  latest = async (): Promise<StoredBackup | undefined> => (await this.list()).at(-1)

  async store(copy: MakeCopy): Promise<StoredBackup> {
    const now = this.clock.now()
    const name = `${this.base}-${timeName(now)}.db`
    await copy(this.#path(name))
    return { name, at: now - (now % 1_000), size: statSync(this.#path(name)).size }
  }

  async remove({ name }: StoredBackup): Promise<void> {
    rmSync(this.#path(name), { force: true })
  }

  read = ({ name }: StoredBackup): AsyncIterable<Uint8Array> => createReadStream(this.#path(name))

  async readDocument(name: DocumentName): Promise<unknown> {
    const path = this.#documentPath(name)
    try {
      return existsSync(path) ? JSON.parse(await readFile(path, 'utf8')) : undefined
    } catch {
      return undefined
    }
  }

  async writeDocument(name: DocumentName, value: object): Promise<void> {
    const path = this.#documentPath(name)
    await writeFile(`${path}.new`, JSON.stringify(value))
    renameSync(`${path}.new`, path)
  }

  #path = (name: string) => join(this.name, name)

  #documentPath = (name: DocumentName) => this.#path(`${this.base}-${name}.json`)

  /** Backups of this database, oldest first. */
  #find(): FoundFile[] {
    if (!existsSync(this.name)) throw refused(`There is no folder ${this.name}.`)
    return readdirSync(this.name)
      .flatMap((name): FoundFile[] => {
        const match = NAME.exec(name)
        const at = instantOf(match?.[1] ?? '')
        if (!match || at === undefined || name.slice(0, match.index) !== this.base) return []
        const size = statSync(this.#path(name), { throwIfNoEntry: false })?.size ?? 0
        return [{ name, at, size, isPartial: match[2] !== undefined }]
      })
      .sort((left, right) => left.at - right.at)
  }
}
