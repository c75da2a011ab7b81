import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const COPIED = ['src', 'test', 'scripts', 'drizzle', 'package.json', 'bunfig.toml', 'tsconfig.json']

/** Copies the repository, so that its sources can be changed; `remove` deletes the copy. */
export function copyRepository() {
  const path = mkdtempSync(join(tmpdir(), 'daybook-copy-'))
  for (const name of COPIED) cpSync(name, join(path, name), { recursive: true })
  symlinkSync(resolve('node_modules'), join(path, 'node_modules'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
