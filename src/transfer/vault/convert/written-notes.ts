import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isoTimestamp } from '../../../lib/dates.ts'
import { FileNames, splitExtension } from '../../workspace/format.ts'

/** A note of another program. */
export interface ForeignNote {
  readonly title: string
  readonly body: string
  readonly tags: readonly string[]
  readonly createdAt?: number | undefined
  readonly updatedAt?: number | undefined
  /** Further front matter, by key. */
  readonly properties?: Readonly<Record<string, unknown>>
}

/** Writes notes of another program into a folder as Markdown files. */
export class WrittenNotes {
  readonly #names = new Map<string, FileNames>()

  constructor(private readonly folder: string) {}

  /** The path of a note or file in this subfolder; each is given once. */
  pathFor(subfolder: string, name: string, extension?: string): string {
    const names = this.#names.get(subfolder) ?? new FileNames()
    this.#names.set(subfolder, names)
    const [base, end] = extension === undefined ? splitExtension(name) : [name, extension]
    const file = names.take(base, end)
    return subfolder === '' ? file : `${subfolder}/${file}`
  }

  note(path: string, { title, body, tags, createdAt, updatedAt, properties = {} }: ForeignNote): void {
    const fields: Record<string, unknown> = {
      title,
      ...(tags.length > 0 && { tags }),
      ...(createdAt !== undefined && { created: isoTimestamp(createdAt) }),
      ...(updatedAt !== undefined && { updated: isoTimestamp(updatedAt) }),
      ...properties,
    }
    const lines = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    this.file(path, new TextEncoder().encode(`---\n${lines.join('')}---\n${body}`), updatedAt ?? createdAt)
  }

  file(path: string, bytes: Uint8Array, at?: number): void {
    const whole = join(this.folder, path)
    mkdirSync(dirname(whole), { recursive: true })
    writeFileSync(whole, bytes, { flag: 'wx' })
    if (at !== undefined) utimesSync(whole, at / 1_000, at / 1_000)
  }
}
