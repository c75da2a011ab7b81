import manifest from '../../../package.json' with { type: 'json' }
import { TARGETS, type Target } from '../targets.ts'
import { documents } from './documents.ts'
import { type Entry, gzip, tar } from './tar.ts'

const SCOPE = '@daybook'
const EXECUTABLE_MODE = 0o755
const { name, version, description, license } = manifest

const nameOf = ({ os, cpu, libc }: Target) => `${SCOPE}/${os}-${cpu}${libc === 'musl' ? '-musl' : ''}`

const text = (path: string) => Bun.file(path).text()
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

/** npm installs what is in the folder `package` of the archive. */
const pack = (entries: readonly Entry[]) =>
  gzip(tar(entries.map((entry) => ({ ...entry, path: `package/${entry.path}` }))))

/** The package `daybook`: a program that starts the executable of the optional package for the system at hand. */
export async function npmPackage(): Promise<Buffer> {
  const about = {
    name,
    version,
    description,
    license,
    bin: { daybook: 'bin/daybook.cjs' },
    engines: { node: '>=18' },
    optionalDependencies: Object.fromEntries(TARGETS.map((target) => [nameOf(target), version])),
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

/** The package that holds the executable for one system; npm skips it on every other one. */
export async function npmPlatformPackage(target: Target, executable: Uint8Array): Promise<Buffer> {
  const about = {
    name: nameOf(target),
    version,
    description: `The executable of daybook for ${target.name}.`,
    license,
    os: [target.os],
    cpu: [target.cpu],
    ...(target.libc && { libc: [target.libc] }),
    preferUnplugged: true,
    publishConfig: { access: 'public' },
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
