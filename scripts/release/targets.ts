import { VERSION } from '../../src/lib/version.ts'

/** A system with an executable. */
export interface Target {
  /** The name in Bun, and in the file names of the release. */
  readonly name: string
  /** The names in npm: `process.platform`, `process.arch` and the C library. */
  readonly os: 'linux' | 'darwin' | 'win32'
  readonly cpu: 'x64' | 'arm64'
  readonly libc?: 'glibc' | 'musl'
}

export const TARGETS: readonly Target[] = [
  { name: 'linux-x64', os: 'linux', cpu: 'x64', libc: 'glibc' },
  { name: 'linux-arm64', os: 'linux', cpu: 'arm64', libc: 'glibc' },
  { name: 'linux-x64-musl', os: 'linux', cpu: 'x64', libc: 'musl' },
  { name: 'linux-arm64-musl', os: 'linux', cpu: 'arm64', libc: 'musl' },
  { name: 'darwin-arm64', os: 'darwin', cpu: 'arm64' },
  { name: 'darwin-x64', os: 'darwin', cpu: 'x64' },
  { name: 'windows-x64', os: 'win32', cpu: 'x64' },
]

/** Debian sorts a suffix after `~` before the release, as npm does a suffix after `-`. */
export const DEBIAN_VERSION = VERSION.replace('-', '~')

/** Whether the target has a Debian package and an image. */
export const hasDebianPackage = ({ libc }: Target): boolean => libc === 'glibc'

/** Returns the architecture's name in Debian and in container images. */
export const architectureOf = ({ cpu }: Target): 'amd64' | 'arm64' => (cpu === 'x64' ? 'amd64' : 'arm64')

/** The output folder of a release. */
export const FOLDER = 'dist/release'

export const executableOf = ({ name, os }: Target): string =>
  `daybook-${VERSION}-${name}${os === 'win32' ? '.exe' : ''}`

/** Returns the file names of a target, apart from its executable. */
export const fileNames = (target: Target) => ({
  npm: `daybook-${VERSION}-npm-${target.name}.tgz`,
  deb: `daybook_${DEBIAN_VERSION}_${architectureOf(target)}.deb`,
  image: `daybook-${VERSION}-image-${architectureOf(target)}.tar`,
})

/** Returns the targets of these names, by default all. */
export function targetsNamed(names: readonly string[]): readonly Target[] {
  const unknown = names.find((name) => TARGETS.every((target) => target.name !== name))
  if (unknown !== undefined) throw new Error(`There is no target "${unknown}".`)
  return names.length === 0 ? TARGETS : TARGETS.filter(({ name }) => names.includes(name))
}
