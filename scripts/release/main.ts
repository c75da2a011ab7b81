/**
 * Builds a release in `dist/release`: an executable for every system, checksums and the bill of materials. Each is built
 * twice to prove that the build is reproducible, and those for Linux are started where this machine can run them. The
 * bundler writes the path of the folder into the executables: build in the same path to get the same checksums.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Glob, spawnSync } from 'bun'
import { VERSION } from '../../src/lib/version.ts'
import { billOfMaterials } from './sbom.ts'

interface Target {
  name: string
  /** How to start it on this machine: the files that this needs, and the command before the executable. */
  runner?: { needs: string[]; command: string[] }
}

const ARM64_LIBRARIES = '/usr/aarch64-linux-gnu'

const TARGETS: readonly Target[] = [
  { name: 'linux-x64', runner: { needs: [], command: [] } },
  {
    name: 'linux-arm64',
    runner: {
      needs: ['/usr/bin/qemu-aarch64-static', `${ARM64_LIBRARIES}/lib/ld-linux-aarch64.so.1`],
      command: ['/usr/bin/qemu-aarch64-static', '-L', ARM64_LIBRARIES],
    },
  },
  {
    name: 'linux-x64-musl',
    runner: { needs: ['/lib/ld-musl-x86_64.so.1', '/lib/x86_64-linux-musl/libstdc++.so.6'], command: [] },
  },
  { name: 'linux-arm64-musl' },
  { name: 'darwin-arm64' },
  { name: 'darwin-x64' },
  { name: 'windows-x64' },
]

const FOLDER = 'dist/release'
const AGAIN = join(FOLDER, 'again')

const say = (line: string) => process.stdout.write(`${line}\n`)
const digestOf = async (path: string) =>
  new Bun.CryptoHasher('sha256').update(await Bun.file(path).bytes()).digest('hex')

function run(command: string[]): boolean {
  return spawnSync(command, { stdio: ['inherit', 'ignore', 'inherit'] }).exitCode === 0
}

function fail(sentence: string): never {
  say(sentence)
  process.exit(1)
}

/** Both builds have the same file name, as the name becomes part of the executable. Returns the digest. */
async function build(target: string, file: string): Promise<string> {
  for (const folder of [FOLDER, AGAIN]) {
    const outfile = `--outfile=${join(folder, file)}`
    if (!run([process.execPath, 'scripts/build.ts', `--target=bun-${target}`, outfile]))
      fail(`The executable for ${target} could not be built.`)
  }
  const digest = await digestOf(join(FOLDER, file))
  if (digest !== (await digestOf(join(AGAIN, file))))
    fail(`Two builds for ${target} differ; the release would not be reproducible.`)
  return digest
}

function smoke({ name, runner }: Target, file: string): string {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !runner) return 'not started here'
  const missing = runner.needs.filter((path) => !existsSync(path))
  if (missing.length > 0) return `not started: this machine has no ${missing.join(', ')}`
  const command = [...runner.command, join(FOLDER, file)]
  if (!run([process.execPath, 'scripts/smoke.ts', ...command]))
    fail(`The executable for ${name} does not work.`)
  return 'works'
}

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(AGAIN, { recursive: true })
const sums: string[] = []
for (const target of TARGETS) {
  const file = `daybook-${VERSION}-${target.name}${target.name.startsWith('windows') ? '.exe' : ''}`
  sums.push(`${await build(target.name, file)}  ${file}`)
  say(`${file}: ${smoke(target, file)}`)
}
rmSync(AGAIN, { recursive: true })
const bill = `daybook-${VERSION}.cdx.json`
await Bun.write(join(FOLDER, bill), `${JSON.stringify(await billOfMaterials(), null, 2)}\n`)
sums.push(`${await digestOf(join(FOLDER, bill))}  ${bill}`)
await Bun.write(join(FOLDER, 'SHA256SUMS'), `${sums.join('\n')}\n`)
say(`${FOLDER} holds ${[...new Glob('*').scanSync(FOLDER)].length} files.`)
