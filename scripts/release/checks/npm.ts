import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { VERSION } from '../../../src/lib/version.ts'
import { FOLDER, fileNames, type Target } from '../targets.ts'
import { isInstalled, run, useNotes, useServer } from './run.ts'

/** Installs the packages in an empty folder, from the packed files and without a network, and serves a request. */
export async function checkNpm(target: Target): Promise<string> {
  if (!isInstalled('npm', 'node')) return 'not installed: there is no npm here'
  const folder = mkdtempSync(join(tmpdir(), 'daybook-npm-'))
  const packages = [`daybook-${VERSION}-npm.tgz`, fileNames(target).npm].map((file) => resolve(FOLDER, file))
  try {
    run(['npm', 'install', '--offline', '--no-audit', '--no-fund', ...packages], { cwd: folder })
    const printed = run(['npx', '--offline', 'daybook', 'version'], { cwd: folder })
    if (printed.trim() !== VERSION) throw new Error(`npx daybook version printed ${printed}`)
    // npx passes signals on to what it starts only since some versions: the installed program is asked itself.
    const program = join(folder, 'node_modules', '.bin', 'daybook')
    const options = { cwd: folder, env: { PATH: process.env.PATH } }
    await useServer([program, 'serve', '--port', '0', '--log-level', 'warn'], options, useNotes)
    return 'installed offline, served a request, stopped by SIGTERM'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
