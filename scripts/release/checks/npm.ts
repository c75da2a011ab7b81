import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { spawn, spawnSync } from 'bun'
import manifest from '../../../package.json' with { type: 'json' }
import { VERSION } from '../../../src/lib/version.ts'
import { FOLDER, fileNames, type Target } from '../targets.ts'
import { isInstalled, run, useNotes, useServer } from './run.ts'

/** Far longer than an installation from files takes, and shorter than npm's attempts to reach a registry. */
const INSTALL_WITHIN_MS = 60_000
/** Runs a program without any network. */
const WITHOUT_NETWORK = ['unshare', '--map-root-user', '--net']

/** Returns the npm command from the README, with the files of this release. */
async function commandOfReadme(target: Target): Promise<string[]> {
  const readme = await Bun.file('README.md').text()
  const command = /^\| npm \| `(npm [^`]+)`/m.exec(readme)?.[1]?.split(' ') ?? []
  const files = [`daybook-${VERSION}-npm.tgz`, fileNames(target).npm]
  const named = ['npm.tgz', 'npm-linux-x64.tgz'].map((end) => `daybook-${manifest.version}-${end}`)
  if (command.join(' ') !== `npm i -g --no-update-notifier ${named.join(' ')}`)
    throw new Error(`The README installs with "${command.join(' ')}".`)
  return [...command.slice(0, -2), ...files.map((file) => resolve(FOLDER, file))]
}

/** Installs in an empty folder, without a cache or settings, and runs the installed program. */
async function install(command: readonly string[], folder: string, registry: string): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    npm_config_prefix: folder,
    npm_config_registry: registry,
  }
  const child = spawn([...command], { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' })
  const timer = setTimeout(() => child.kill('SIGKILL'), INSTALL_WITHIN_MS)
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  clearTimeout(timer)
  if (exitCode !== 0) throw new Error(`${command.join(' ')} failed: ${out}${err}`)
  const program = join(folder, 'bin', 'daybook')
  const printed = run([program, 'version'], { cwd: folder, env: { PATH: process.env.PATH } })
  if (printed.trim() !== VERSION) throw new Error(`${program} version printed ${printed}`)
  return program
}

async function inNewFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-npm-'))
  try {
    await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Checks that the files suffice: the installation asks an available registry for nothing. */
async function checkWithRegistry(command: readonly string[]): Promise<void> {
  const asked: string[] = []
  const registry = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ method, url }) => {
      asked.push(`${method} ${new URL(url).pathname}`)
      return new Response(null, { status: 404 })
    },
  })
  try {
    await inNewFolder(async (folder) => {
      const program = await install(command, folder, registry.url.href)
      if (asked.length > 0) throw new Error(`npm asked the registry: ${asked.join(', ')}`)
      const options = { cwd: folder, env: { PATH: process.env.PATH } }
      await useServer([program, 'serve', '--port', '0', '--log-level', 'warn'], options, useNotes)
    })
  } finally {
    await registry.stop(true)
  }
}

/** Checks that, without the package of the system, the program names the missing file. */
async function checkWithoutExecutable(command: readonly string[], target: Target): Promise<void> {
  await inNewFolder(async (folder) => {
    const env = { PATH: process.env.PATH, HOME: folder, npm_config_prefix: folder }
    run(command.slice(0, -1), { cwd: folder, env })
    const { exitCode, stderr } = spawnSync([join(folder, 'bin', 'daybook'), 'version'], { env })
    if (exitCode === 1 && stderr.toString().includes(`is in ${fileNames(target).npm} of the same release`))
      return
    throw new Error(`Without its executable daybook exited ${exitCode} and said: ${stderr}`)
  })
}

/** Installs the packed files according to the README, and serves a request. */
export async function checkNpm(target: Target): Promise<string> {
  if (!isInstalled('npm', 'node')) return 'not installed: there is no npm here'
  const command = await commandOfReadme(target)
  await checkWithRegistry(command)
  await checkWithoutExecutable(command, target)
  const served =
    'installed as the README says with 0 requests to a registry, served a request, stopped by SIGTERM'
  if (spawnSync([...WITHOUT_NETWORK, 'true']).exitCode !== 0)
    return `${served}; not tried without a network, which this machine does not allow`
  const offline = [...WITHOUT_NETWORK, ...command]
  await inNewFolder(async (folder) => void (await install(offline, folder, 'https://registry.example.com/')))
  return `${served}; installed without a network`
}
