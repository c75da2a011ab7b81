import { VERSION } from '../../../lib/version.ts'
import { refused } from '../../../refusal.ts'

export interface Release {
  readonly version: string
  readonly isNewer: boolean
  /** The sections of its changelog on versions after this one. */
  readonly changes: string
}

const TIMEOUT_MS = 10_000

async function read(url: URL): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error) => {
    throw refused(`${url} cannot be read (${error.code ?? error.name}).`)
  })
  if (!response.ok) throw refused(`${url} cannot be read (status ${response.status}).`)
  return response.text()
}

const isNewer = (version: string) => Bun.semver.order(version, VERSION) > 0

/** `## 0.2.0` begins a section, which may go on with a date. */
const SECTION = /^## (\d+\.\d+\.\d\S*)/

/** Reads the names of the files and the changelog in the folder of a release. */
export async function findRelease(folder: string): Promise<Release> {
  if (!URL.canParse(folder)) throw refused(`--url must be the address of a release, not "${folder}".`)
  const base = new URL(folder.endsWith('/') ? folder : `${folder}/`)
  const [, version] =
    /^\S+ +daybook-(\d+\.\d+\.\d\S*?)-linux-x64$/m.exec(await read(new URL('SHA256SUMS', base))) ?? []
  if (version === undefined) throw refused(`${base} does not list a release of daybook.`)
  const sections = (await read(new URL('CHANGELOG.md', base))).split(/^(?=## )/m)
  const changes = sections.filter((section) => isNewer(SECTION.exec(section)?.[1] ?? '0.0.0'))
  return { version, isNewer: isNewer(version), changes: changes.join('').trim() }
}
