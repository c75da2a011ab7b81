import { architectureOf, DEBIAN_VERSION, type Target } from '../targets.ts'
import { documents } from './documents.ts'
import { withFolders } from './folders.ts'
import { manPage } from './man-page.ts'
import { settingsFile } from './settings-file.ts'
import { type Entry, gzip, tar } from './tar.ts'

const EXECUTABLE_MODE = 0o755
/** The compression level that Debian requires for documents. */
const SMALLEST = 9
const SETTINGS = 'etc/default/daybook'
const SCRIPTS = ['postinst', 'prerm', 'postrm']

const text = (path: string) => Bun.file(path).text()
const ownText = (name: string) => text(`scripts/release/packages/deb/${name}`)

/** Returns the completion script for a shell, as the command line prints it. */
function completionScript(shell: string): string {
  const { stdout, success } = Bun.spawnSync([process.execPath, 'src/main.ts', 'completion', shell])
  if (!success) throw new Error(`No completion script for ${shell} was printed.`)
  return stdout.toString()
}

/**
 * Returns the deployed unit for a packaged program, without its first comment, which explains the manual installation.
 */
async function unitFile(): Promise<string> {
  const unit = await text('scripts/deploy/daybook.service')
  return unit.slice(unit.indexOf('[Unit]')).replace('/usr/local/bin/daybook', '/usr/bin/daybook')
}

async function copyrightFile(): Promise<string> {
  const [, owner = ''] = /^Copyright \(c\) (.*)$/m.exec(await text('LICENSE')) ?? []
  return (await ownText('copyright')).replace('@OWNER@', owner)
}

async function files(executable: Uint8Array): Promise<Entry[]> {
  const page = await gzip(Buffer.from(manPage()), SMALLEST)
  // The package's copyright file contains the license.
  const linked = (await documents()).filter(({ path }) => path !== 'LICENSE')
  return [
    { path: 'usr/bin/daybook', mode: EXECUTABLE_MODE, content: executable },
    { path: 'usr/lib/systemd/system/daybook.service', content: await unitFile() },
    { path: SETTINGS, content: settingsFile() },
    { path: 'usr/share/man/man1/daybook.1.gz', content: page },
    { path: 'usr/share/bash-completion/completions/daybook', content: completionScript('bash') },
    { path: 'usr/share/zsh/vendor-completions/_daybook', content: completionScript('zsh') },
    { path: 'usr/share/fish/vendor_completions.d/daybook.fish', content: completionScript('fish') },
    { path: 'usr/share/doc/daybook/copyright', content: await copyrightFile() },
    { path: 'usr/share/doc/daybook/README.Debian', content: await ownText('README.Debian') },
    ...linked.map((entry) => ({ ...entry, path: `usr/share/doc/daybook/${entry.path}` })),
  ]
}

const inRoot = (entries: readonly Entry[]): Entry[] => [
  { path: './' },
  ...entries.map((entry) => ({ ...entry, path: `./${entry.path}` })),
]

const KIB = 1_024
const sizeOf = ({ content = '' }: Entry) => Buffer.byteLength(content)

async function controlFiles(target: Target, entries: readonly Entry[]): Promise<Entry[]> {
  const installed = entries.reduce((total, entry) => total + Math.ceil(sizeOf(entry) / KIB), 0)
  const control = (await ownText('control'))
    .replace('@VERSION@', DEBIAN_VERSION)
    .replace('@ARCHITECTURE@', architectureOf(target))
    .replace('@INSTALLED_SIZE@', String(installed))
  const md5 = (content: string | Uint8Array) => new Bun.CryptoHasher('md5').update(content).digest('hex')
  const sums = entries
    .filter(({ path }) => path !== SETTINGS)
    .map(({ path, content = '' }) => `${md5(content)}  ${path}\n`)
  const scripts = SCRIPTS.map(async (name) => ({
    path: name,
    mode: EXECUTABLE_MODE,
    content: await ownText(name),
  }))
  return [
    { path: 'control', content: control },
    { path: 'conffiles', content: `/${SETTINGS}\n` },
    { path: 'md5sums', content: sums.join('') },
    ...(await Promise.all(scripts)),
  ]
}

/** Returns an archive in ar format: a magic line, then a header of 60 characters before each part. */
function ar(parts: readonly (readonly [name: string, content: Buffer])[]): Buffer {
  const padded = parts.flatMap(([name, content]) => [
    Buffer.from(
      `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(content.length).padEnd(10)}\`\n`,
    ),
    content,
    Buffer.from(content.length % 2 === 1 ? '\n' : ''),
  ])
  return Buffer.concat([Buffer.from('!<arch>\n'), ...padded])
}

/** Returns the Debian package: the program, its unit with its own user, its settings, manual page and completions. */
export async function debianPackage(target: Target, executable: Uint8Array): Promise<Buffer> {
  const entries = await files(executable)
  const control = await controlFiles(target, entries)
  return ar([
    ['debian-binary', Buffer.from('2.0\n')],
    ['control.tar.gz', await gzip(tar(inRoot(control)))],
    ['data.tar.gz', await gzip(tar(inRoot(withFolders(entries))))],
  ])
}
