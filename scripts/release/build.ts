/**
 * Builds a complete release in `dist/release`: the executables, their packages, the bill of materials and the
 * checksums. Arguments name the targets, by default all. The output depends only on the sources, and for images on
 * the C library of this machine.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { spawnSync } from 'bun'
import { VERSION } from '../../src/lib/version.ts'
import { debianPackage } from './packages/deb.ts'
import { imageArchive, libraryFolder } from './packages/image.ts'
import { npmPackage, npmPlatformPackage } from './packages/npm.ts'
import { sha256 } from './packages/tar.ts'
import { billOfMaterials } from './sbom.ts'
import { executableOf, FOLDER, fileNames, hasDebianPackage, type Target, targetsNamed } from './targets.ts'

const sums: string[] = []
const fileIn = (line: string) => line.split('  ')[1] ?? ''
const byFile = (left: string, right: string) => (fileIn(left) < fileIn(right) ? -1 : 1)

async function save(file: string, content: string | Uint8Array): Promise<void> {
  await Bun.write(join(FOLDER, file), content)
  sums.push(`${sha256(Buffer.from(content))}  ${file}`)
}

function build(target: Target): string {
  const file = executableOf(target)
  const command = [
    'scripts/build.ts',
    `--version=${VERSION}`,
    `--target=bun-${target.name}`,
    `--outfile=${join(FOLDER, file)}`,
  ]
  const { exitCode } = spawnSync([process.execPath, ...command], { stdio: ['inherit', 'ignore', 'inherit'] })
  if (exitCode !== 0) throw new Error(`The executable for ${target.name} could not be built.`)
  return file
}

async function release(target: Target): Promise<void> {
  const file = build(target)
  const executable = await Bun.file(join(FOLDER, file)).bytes()
  const names = fileNames(target)
  await save(file, executable)
  const packages = [npmPlatformPackage(target, executable).then((bytes) => save(names.npm, bytes))]
  if (hasDebianPackage(target)) {
    packages.push(debianPackage(target, executable).then((bytes) => save(names.deb, bytes)))
    const libraries = libraryFolder(target)
    if (libraries === undefined)
      process.stdout.write(`No image for ${target.name}: its C library is not installed here.\n`)
    else packages.push(imageArchive(target, libraries, executable).then((bytes) => save(names.image, bytes)))
  }
  await Promise.all(packages)
}

rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
const targets = targetsNamed(process.argv.slice(2))
for (const target of targets) await release(target)
await save(`daybook-${VERSION}-npm.tgz`, await npmPackage())
await save(`daybook-${VERSION}.cdx.json`, `${JSON.stringify(await billOfMaterials(), null, 2)}\n`)
await save('CHANGELOG.md', await Bun.file('scripts/release/CHANGELOG.md').text())
await Bun.write(join(FOLDER, 'SHA256SUMS'), `${sums.toSorted(byFile).join('\n')}\n`)
