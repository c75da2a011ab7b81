import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commandCaller } from '../../src/cli/open-database.ts'
import { getWorkspaceOrOnly } from '../../src/people/accounts/workspaces.ts'
import { exportVault } from '../../src/transfer/vault/export/export.ts'
import { importVault } from '../../src/transfer/vault/import.ts'
import { runInProcess } from './cli.ts'
import type { NoteAnswer } from './notes.ts'
import { newFolder } from './process.ts'
import { startService, type TestService } from './service.ts'

/** The content of a folder, keyed by path. */
export type VaultFiles = Readonly<Record<string, string | Uint8Array>>

export function writeFiles(folder: string, files: VaultFiles): void {
  for (const [path, content] of Object.entries(files)) {
    const whole = join(folder, path)
    mkdirSync(dirname(whole), { recursive: true })
    writeFileSync(whole, content)
  }
}

/** Every file of a folder by its path, as text of this encoding; `latin1` has one character a byte. */
export const filesIn = (root: string, encoding: 'utf8' | 'latin1' = 'utf8'): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(root, path)).isFile())
      .sort()
      .map((path) => [path, readFileSync(join(root, path), encoding)]),
  )

/** A folder of notes, and a workspace that it is imported into. */
export interface VaultTest {
  readonly path: string
  /** The database lies in the folder, as it does for users who import from their current directory. */
  readonly db: string
  /** The service on the database; each import replaces it. */
  service(): TestService
  write(files: VaultFiles): void
  /** Imports the folder while no server uses the database. */
  run(...flags: string[]): Promise<{ exitCode: number; out: string; err: string }>
  /** Imports another folder while no server uses the database. */
  importFolder(folder: string, ...flags: string[]): Promise<{ exitCode: number; out: string; err: string }>
  /** Imports the folder with a report and without progress output. */
  report(...flags: string[]): Promise<{ exitCode: number; report: ReturnType<typeof JSON.parse> }>
  /** Returns every note, keyed by title. */
  notes(): Promise<Record<string, NoteAnswer>>
  remove(): void
}

export async function newVaultTest(): Promise<VaultTest> {
  const folder = newFolder()
  const path = folder.file('vault')
  mkdirSync(path)
  const db = join(path, 'daybook.db')
  let service = await startService({ file: db })
  const importFolder = async (from: string, ...flags: string[]) => {
    service.close()
    const outcome = await runInProcess(['import', from, '--db', db, ...flags])
    service = await startService({ file: db })
    return { ...outcome, err: outcome.err.replace(/notes: \d+%\n/g, '') }
  }
  const run = (...flags: string[]) => importFolder(path, ...flags)
  return {
    path,
    db,
    importFolder,
    service: () => service,
    write: (files) => writeFiles(path, files),
    run,
    report: async (...flags) => {
      const { exitCode, out, err } = await run('--json', ...flags)
      if (out === '') throw new Error(`the import ended without a report: ${err}`)
      return { exitCode, report: JSON.parse(out) }
    },
    notes: async () => {
      const { body } = await service.get('/v1/notes?limit=200&sort=created_at&direction=asc')
      return Object.fromEntries(body.notes.map((note: NoteAnswer) => [note.title, note]))
    },
    remove: () => {
      service.close()
      folder.remove()
    },
  }
}

const commandIn = ({ ctx }: TestService, workspace: string) =>
  commandCaller(getWorkspaceOrOnly(ctx.db, workspace))

/** Imports a folder of notes into a workspace, as `daybook import` does, in a service in memory. */
export const importVaultInto = (
  service: TestService,
  workspace: string,
  folder: string,
  { skipsBad = false } = {},
) =>
  importVault(service.ctx.db, commandIn(service, workspace), {
    folder,
    databaseFile: 'none',
    foldersAsTags: false,
    updates: false,
    isDryRun: false,
    skipsBad,
    onProgress: () => {},
  })

/** Writes the notes of a workspace into a folder, as `daybook export` does. */
export const exportVaultFrom = (service: TestService, workspace: string, folder: string) =>
  exportVault(service.ctx.db, commandIn(service, workspace), folder, () => {})
