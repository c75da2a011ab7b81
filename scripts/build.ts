/**
 * Builds the executable `dist/daybook`; `--target bun-linux-arm64` and the like build it for another system, `--outfile FILE`
 * elsewhere, `--version V` as another version than that of the commit.
 */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { spawnSync } from 'bun'
import { buildApplication } from '../src/http/web-app/build.ts'
import { PACKED } from '../src/http/web-app/names.ts'
import { packApplication } from '../src/http/web-app/packed.ts'
import { buildVersion, defineVersion } from './lib/version.ts'

const { values } = parseArgs({
  options: {
    outfile: { type: 'string', default: 'dist/daybook' },
    target: { type: 'string' },
    version: { type: 'string', default: buildVersion() },
  },
})
const { outfile, target, version } = values

mkdirSync(dirname(outfile), { recursive: true })
// The application is built by itself, as it is for browsers.
const packed = `dist/${PACKED}`
await Bun.write(packed, JSON.stringify(packApplication(await buildApplication())))
const command = [
  process.execPath,
  'build',
  'src/main.ts',
  // A worker is bundled only when it is named here.
  'src/worker.ts',
  'src/files/extraction/worker.ts',
  'src/storage/backup-sync-worker.ts',
  'src/storage/checkpoint-worker.ts',
  packed,
  '--compile',
  '--minify',
  // For servers that are started from the sources: here the application is packed.
  '--external=rolldown',
  // In parts, so that a command loads only what it needs.
  '--format=esm',
  '--splitting',
  '--bytecode',
  // A .env or bunfig.toml that happens to lie where daybook is started is not meant for daybook.
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
  defineVersion(version),
  // Else they are paths of this machine, and the same sources built in another folder give another executable.
  '--define=import.meta.url="file:///daybook"',
  '--define=__dirname="/daybook"',
  '--define=__filename="/daybook"',
  // Above the limit of `src/http`, so that the error for a long URL is its own.
  '--compile-exec-argv=--max-http-header-size=131072',
  `--outfile=${outfile}`,
  ...(target === undefined ? [] : [`--target=${target}`]),
]
const { exitCode } = spawnSync(command, { stdio: ['inherit', 'ignore', 'inherit'] })
if (exitCode !== 0) process.exit(1)
process.stdout.write(`${outfile} is built.\n`)
