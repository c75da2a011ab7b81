import manifest from '../../../package.json' with { type: 'json' }
import { VERSION } from '../../../src/lib/version.ts'
import type { Target } from '../targets.ts'
import { documents } from './documents.ts'
import { type Entry, gzip, tar } from './tar.ts'

const EXECUTABLE_MODE = 0o755
const { name, description, license } = manifest

const text = (path: string) => Bun.file(path).text()
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

/** npm installs the folder `package` of the archive. */
const pack = (entries: readonly Entry[]) =>
  gzip(tar(entries.map((entry) => ({ ...entry, path: `package/${entry.path}` }))))

/**
 * Returns the package `daybook`: a program that starts the executable from the package for the current system. It has
 * no dependencies, because npm would ask a registry for the name, and install a package that anyone published under it.
 */
export async function npmPackage(): Promise<Buffer> {
  const about = {
    name,
    version: VERSION,
    description,
    license,
    private: true,
    bin: { daybook: 'bin/daybook.cjs' },
    engines: { node: '>=18' },
  }
  return pack([
    { path: 'package.json', content: json(about) },
    {
      path: 'bin/daybook.cjs',
      mode: EXECUTABLE_MODE,
      content: await text('scripts/release/packages/npm/daybook.cjs'),
    },
    ...(await documents()),
  ])
}

/** Returns the package with the executable for one system; npm refuses it on every other system. */
export async function npmPlatformPackage(target: Target, executable: Uint8Array): Promise<Buffer> {
  const about = {
    name: `@${name}/${target.name}`,
    version: VERSION,
    description: `The executable of daybook for ${target.name}.`,
    license,
    private: true,
    os: [target.os],
    cpu: [target.cpu],
    ...(target.libc && { libc: [target.libc] }),
    preferUnplugged: true,
  }
  return pack([
    { path: 'package.json', content: json(about) },
    {
      path: target.os === 'win32' ? 'daybook.exe' : 'daybook',
      mode: EXECUTABLE_MODE,
      content: executable,
    },
    { path: 'LICENSE', content: await text('LICENSE') },
  ])
}
