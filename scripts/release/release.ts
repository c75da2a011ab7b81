/**
 * Builds all files of a release and tests them where this machine can: the last lines report which tests ran and which
 * did not. With `--twice`, it builds in two folders, to prove that the output depends only on the sources. Started by
 * `main.ts`, which sets the version.
 */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { spawn } from 'bun'
import { VERSION } from '../../src/lib/version.ts'
import { defineVersion } from '../lib/version.ts'
import { checkDebianPackage } from './checks/deb.ts'
import { checkExecutable } from './checks/executable.ts'
import { checkImage } from './checks/image.ts'
import { checkNpm } from './checks/npm.ts'
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

/** Builds everything in a folder and returns what the build printed. Throws if it fails. */
async function buildIn(folder: string): Promise<string> {
  const child = spawn(BUILD, { cwd: folder, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (exitCode !== 0) throw new Error(`The build in ${folder} failed: ${out}${err}`)
  return out.trim()
}

/** Builds everything from a copy of the sources in another folder; returns the checksums. */
async function buildCopy(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-built-again-'))
  try {
    for (const name of [...SOURCES, ...FILES]) cpSync(name, join(folder, name), { recursive: true })
    await buildIn(folder)
    return await checksums(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Throws if any byte of the two builds differs. */
function compareBuilds(first: string, second: string): void {
  if (first !== second) throw new Error(`Two builds differ:\n${first}\n${second}`)
  say('Two builds in two folders have equal checksums.')
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

// Builds use one processor for most of their time, so both run at once.
const [printed, second] = await Promise.all([buildIn('.'), values.twice ? buildCopy() : undefined])
say(printed)
if (second !== undefined) compareBuilds(await checksums('.'), second)
for (const target of targets) await check(target)
