/**
 * Builds all files of a release and tests them where this machine can: the last lines report which tests ran and which
 * did not. With `--twice`, it builds in two folders, to prove that the output depends only on the sources. Started by
 * `main.ts`, which sets the version.
 */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { VERSION } from '../../src/lib/version.ts'
import { defineVersion } from '../lib/version.ts'
import { checkDebianPackage } from './checks/deb.ts'
import { checkExecutable } from './checks/executable.ts'
import { checkImage } from './checks/image.ts'
import { checkNpm } from './checks/npm.ts'
import { run } from './checks/run.ts'
import { FOLDER, fileNames, hasDebianPackage, type Target, targetsNamed } from './targets.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    twice: { type: 'boolean', default: false },
    'in-debian': { type: 'boolean', default: false },
  },
})
const targets = targetsNamed(positionals)
const say = (line: string) => process.stdout.write(`${line}\n`)

const SOURCES = ['src', 'drizzle', 'scripts', 'node_modules']
const FILES = ['package.json', 'bun.lock', 'bunfig.toml', 'tsconfig.json', 'README.md', 'LICENSE']
const BUILD = [process.execPath, defineVersion(VERSION), 'scripts/release/build.ts', ...positionals]
const checksums = (folder: string) => Bun.file(join(folder, FOLDER, 'SHA256SUMS')).text()

/** Rebuilds everything from a copy of the sources in another folder. Throws if any byte differs. */
async function buildAgain(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-built-again-'))
  try {
    for (const name of [...SOURCES, ...FILES]) cpSync(name, join(folder, name), { recursive: true })
    run(BUILD, { cwd: folder })
    const [first, second] = [await checksums('.'), await checksums(folder)]
    if (first !== second) throw new Error(`Two builds differ:\n${first}\n${second}`)
    say('Two builds in two folders have equal checksums.')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const isOfThisMachine = ({ os, cpu, libc }: Target) =>
  os === process.platform && cpu === process.arch && (libc ?? 'glibc') === 'glibc'

async function check(target: Target): Promise<void> {
  say(`${target.name}: executable ${await checkExecutable(target)}`)
  if (!isOfThisMachine(target)) return
  say(`${target.name}: npm packages ${await checkNpm(target)}`)
  if (!hasDebianPackage(target)) return
  say(`${target.name}: Debian package ${checkDebianPackage(target, values['in-debian'])}`)
  if (existsSync(join(FOLDER, fileNames(target).image)))
    say(`${target.name}: image ${await checkImage(target)}`)
}

say(run(BUILD).trim())
if (values.twice) await buildAgain()
for (const target of targets) await check(target)
