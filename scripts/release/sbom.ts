import lock from '../../bun.lock'
import manifest from '../../package.json' with { type: 'json' }
import { VERSION } from '../../src/lib/version.ts'
import application from '../../src/web/package.json' with { type: 'json' }

interface Package {
  name: string
  version: string
  dependencies: string[]
  integrity: string | undefined
}

interface Component {
  type: 'library' | 'platform'
  'bom-ref': string
  name: string
  version: string
  purl: string
  licenses?: { license: { id: string } }[] | { expression: string }[]
  hashes?: { alg: string; content: string }[]
}

/** Resolves a package for its dependent, the project itself if `usedBy` is empty. A nested version takes precedence. */
function packageOf(name: string, usedBy: string): { key: string; found: Package } | undefined {
  const packages = lock.packages as Record<string, unknown[]>
  const key = [`${usedBy}/${name}`, name].find((candidate) => candidate in packages)
  const entry = key === undefined ? undefined : packages[key]
  if (key === undefined || !entry) return undefined
  const [resolved = '', , details = {}, integrity] = entry as [string, string, Details, string]
  const at = resolved.lastIndexOf('@')
  const dependencies = Object.keys({ ...details.dependencies, ...details.peerDependencies })
  const isOptional = new Set(details.optionalPeers)
  return {
    key,
    found: {
      name: resolved.slice(0, at),
      version: resolved.slice(at + 1),
      dependencies: dependencies.filter((dependency) => !isOptional.has(dependency)),
      integrity,
    },
  }
}

interface Details {
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  optionalPeers?: string[]
}

/** Returns the packages in the executable: the transitive dependencies of the server and of the application. */
function shippedPackages(): Map<string, Package> {
  const shipped = new Map<string, Package>()
  const visit = (names: readonly string[], usedBy: string) => {
    for (const name of names) {
      const package_ = packageOf(name, usedBy)
      if (!package_ || shipped.has(package_.key)) continue
      shipped.set(package_.key, package_.found)
      visit(package_.found.dependencies, package_.key)
    }
  }
  visit(Object.keys({ ...manifest.dependencies, ...application.dependencies }), '')
  return shipped
}

const purlOf = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`

async function licencesOf(name: string): Promise<Pick<Component, 'licenses'>> {
  const file = Bun.file(`node_modules/${name}/package.json`)
  const { license } = (await file.exists()) ? await file.json() : {}
  if (typeof license !== 'string') return {}
  return { licenses: /[ ()]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }] }
}

const SHA512 = 'sha512-'

async function componentOf({ name, version, integrity }: Package): Promise<Component> {
  const purl = purlOf(name, version)
  const digest = integrity?.startsWith(SHA512)
    ? Buffer.from(integrity.slice(SHA512.length), 'base64').toString('hex')
    : undefined
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(await licencesOf(name)),
    ...(digest !== undefined && { hashes: [{ alg: 'SHA-512', content: digest }] }),
  }
}

/** Returns the executables' bill of materials, in CycloneDX 1.6. It depends only on the lock file and the version. */
export async function billOfMaterials() {
  const shipped = shippedPackages()
  const libraries = await Promise.all([...shipped.values()].map(componentOf))
  const runtime: Component = {
    type: 'platform',
    'bom-ref': `pkg:npm/bun@${Bun.version}`,
    name: 'bun',
    version: Bun.version,
    purl: `pkg:npm/bun@${Bun.version}`,
    licenses: [{ license: { id: 'MIT' } }],
  }
  const ref = `pkg:generic/${manifest.name}@${VERSION}`
  const refsOf = (names: readonly string[], usedBy: string) =>
    names.flatMap((name) => {
      const { found } = packageOf(name, usedBy) ?? {}
      return found ? [purlOf(found.name, found.version)] : []
    })
  const direct = refsOf(Object.keys(manifest.dependencies), '')
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': ref,
        name: manifest.name,
        version: VERSION,
        description: manifest.description,
        licenses: [{ license: { id: manifest.license } }],
      },
    },
    components: [runtime, ...libraries],
    dependencies: [
      { ref, dependsOn: [runtime['bom-ref'], ...direct] },
      ...[...shipped].map(([key, { name, version, dependencies }]) => ({
        ref: purlOf(name, version),
        dependsOn: refsOf(dependencies, key),
      })),
    ],
  }
}
