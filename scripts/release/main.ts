/**
 * `bun run release`: builds a release in `dist/release` and tests it as far as this machine can. Sets the version of
 * this build for all build steps and tests.
 */
import { parseArgs } from 'node:util'
import { spawnSync } from 'bun'
import { buildVersion, defineVersion } from '../lib/version.ts'
import { TARGETS } from './targets.ts'

const NAMES = TARGETS.map(({ name }) => name)
const HELP = `Build a release in dist/release: executables, npm packages, Debian packages, images, checksums and the bill of materials.

Usage: bun run release [target …] [--twice] [--in-debian]

Targets, by default all: ${NAMES.join(', ')}

Flags:
  --twice      build everything again in another folder, and fail unless both builds are equal
  --in-debian  install the Debian package in a new system that boots, which takes minutes and needs root
  -h, --help   print this help
`

const FLAGS = {
  twice: { type: 'boolean', default: false },
  'in-debian': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\nTry "bun run release --help".\n`)
  process.exit(2)
}

function argumentsGiven() {
  try {
    return parseArgs({ allowPositionals: true, options: FLAGS })
  } catch (error) {
    return refuse((error as Error).message.split('. ')[0] ?? '')
  }
}

const { values, positionals } = argumentsGiven()
if (values.help) {
  process.stdout.write(HELP)
  process.exit(0)
}
const unknown = positionals.find((name) => !NAMES.includes(name))
if (unknown !== undefined) refuse(`There is no target "${unknown}"; choose from ${NAMES.join(', ')}.`)

const version = buildVersion()
process.stdout.write(`Building daybook ${version}.\n`)
const { exitCode } = spawnSync(
  [process.execPath, defineVersion(version), 'scripts/release/release.ts', ...process.argv.slice(2)],
  { stdio: ['ignore', 'inherit', 'inherit'] },
)
process.exit(exitCode)
