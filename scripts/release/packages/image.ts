import { existsSync } from 'node:fs'
import manifest from '../../../package.json' with { type: 'json' }
import { VERSION } from '../../../src/lib/version.ts'
import { architectureOf, type Target } from '../targets.ts'
import { withFolders } from './folders.ts'
import { type Entry, gzip, sha256, tar } from './tar.ts'

const { name, description, license } = manifest

/** The user of the image: neither root nor likely to exist on the host. */
const USER = 65_532
const EXECUTABLE_MODE = 0o755
const PRIVATE_MODE = 0o700
const TEMPORARY_MODE = 0o1777
const NO_TIME = '1970-01-01T00:00:00Z'
const PORT = 8787

/** The paths where Debian installs the C library of an architecture, and where programs expect it. */
const LIBRARIES = {
  x64: {
    found: ['/lib/x86_64-linux-gnu'],
    folder: 'lib/x86_64-linux-gnu',
    loader: { name: 'ld-linux-x86-64.so.2', folder: 'lib64' },
    copyright: '/usr/share/doc/libc6/copyright',
  },
  arm64: {
    found: ['/lib/aarch64-linux-gnu', '/usr/aarch64-linux-gnu/lib'],
    folder: 'lib/aarch64-linux-gnu',
    loader: { name: 'ld-linux-aarch64.so.1', folder: 'lib' },
    copyright: '/usr/share/doc/libc6-arm64-cross/copyright',
  },
} as const

const NEEDED = ['libc.so.6', 'libm.so.6', 'libpthread.so.0', 'libdl.so.2', 'libgcc_s.so.1']

/** Returns this machine's folder with the C library for a target; undefined if Debian's package is not installed. */
export const libraryFolder = ({ cpu }: Target): string | undefined =>
  LIBRARIES[cpu].found.find((folder) => existsSync(`${folder}/libc.so.6`))

async function libraries({ cpu }: Target, from: string): Promise<Entry[]> {
  const { folder, loader, copyright } = LIBRARIES[cpu]
  const read = async (file: string, path: string): Promise<Entry> => ({
    path,
    mode: EXECUTABLE_MODE,
    content: await Bun.file(`${from}/${file}`).bytes(),
  })
  const texts = existsSync(copyright)
    ? [{ path: 'usr/share/doc/libc6/copyright', content: await Bun.file(copyright).text() }]
    : []
  return [
    await read(loader.name, `${loader.folder}/${loader.name}`),
    ...(await Promise.all(NEEDED.map((file) => read(file, `${folder}/${file}`)))),
    ...texts,
  ]
}

/** Returns the only layer: the executable, its linked libraries, its user, and a folder for the data. */
async function layer(target: Target, from: string, executable: Uint8Array): Promise<Buffer> {
  const entries = withFolders([
    { path: 'usr/bin/daybook', mode: EXECUTABLE_MODE, content: executable },
    { path: 'usr/share/doc/daybook/copyright', content: await Bun.file('LICENSE').text() },
    { path: 'etc/passwd', content: `root:x:0:0::/:\n${name}:x:${USER}:${USER}::/data:\n` },
    { path: 'etc/group', content: `root:x:0:\n${name}:x:${USER}:\n` },
    { path: 'etc/nsswitch.conf', content: 'hosts: files dns\n' },
    { path: 'data/', mode: PRIVATE_MODE, owner: USER },
    { path: 'tmp/', mode: TEMPORARY_MODE },
    ...(await libraries(target, from)),
  ])
  return tar(entries)
}

const imageConfig = (target: Target, layerDigest: string) => ({
  created: NO_TIME,
  architecture: architectureOf(target),
  os: 'linux',
  config: {
    User: `${USER}:${USER}`,
    ExposedPorts: { [`${PORT}/tcp`]: {} },
    Env: [
      'PATH=/usr/bin',
      'DAYBOOK_DB=/data/daybook.db',
      'DAYBOOK_HOST=0.0.0.0',
      `DAYBOOK_PORT=${PORT}`,
      `DAYBOOK_PUBLIC_URL=http://127.0.0.1:${PORT}`,
    ],
    Entrypoint: ['/usr/bin/daybook'],
    Cmd: ['serve'],
    Volumes: { '/data': {} },
    WorkingDir: '/data',
    StopSignal: 'SIGTERM',
    // In nanoseconds. Docker reads this extension of the format; podman reads it only in Docker's own format.
    Healthcheck: {
      Test: ['CMD', '/usr/bin/daybook', 'health'],
      Interval: 30_000_000_000,
      Timeout: 10_000_000_000,
      StartPeriod: 60_000_000_000,
      Retries: 3,
    },
    Labels: {
      'org.opencontainers.image.title': name,
      'org.opencontainers.image.description': description,
      'org.opencontainers.image.version': VERSION,
      'org.opencontainers.image.licenses': license,
    },
  },
  rootfs: { type: 'layers', diff_ids: [`sha256:${layerDigest}`] },
  history: [{ created: NO_TIME, created_by: `${name} ${VERSION}` }],
})

interface Blob {
  readonly digest: string
  readonly size: number
  readonly content: Buffer
}

const blobOf = (content: Buffer): Blob => ({ digest: sha256(content), size: content.length, content })
const jsonBlob = (value: unknown) => blobOf(Buffer.from(JSON.stringify(value)))
const pathOf = ({ digest }: Blob) => `blobs/sha256/${digest}`

const descriptor = (mediaType: string, { digest, size }: Blob) => ({
  mediaType: `application/vnd.oci.image.${mediaType}`,
  digest: `sha256:${digest}`,
  size,
})

/**
 * Returns an archive with an image in OCI format, and the manifest list that every version of `docker load` accepts.
 */
export async function imageArchive(target: Target, from: string, executable: Uint8Array): Promise<Buffer> {
  const contents = await layer(target, from, executable)
  const layerBlob = blobOf(await gzip(contents))
  const config = jsonBlob(imageConfig(target, sha256(contents)))
  const manifestBlob = jsonBlob({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: descriptor('config.v1+json', config),
    layers: [descriptor('layer.v1.tar+gzip', layerBlob)],
  })
  const index = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [
      {
        ...descriptor('manifest.v1+json', manifestBlob),
        platform: { architecture: architectureOf(target), os: 'linux' },
        annotations: {
          'org.opencontainers.image.ref.name': VERSION,
          'io.containerd.image.name': `${name}:${VERSION}`,
        },
      },
    ],
  }
  const forDocker = [
    { Config: pathOf(config), RepoTags: [`${name}:${VERSION}`], Layers: [pathOf(layerBlob)] },
  ]
  const blobs = [config, manifestBlob, layerBlob].map((blob) => ({
    path: pathOf(blob),
    content: blob.content,
  }))
  return tar(
    withFolders([
      { path: 'oci-layout', content: JSON.stringify({ imageLayoutVersion: '1.0.0' }) },
      { path: 'index.json', content: JSON.stringify(index) },
      { path: 'manifest.json', content: JSON.stringify(forDocker) },
      ...blobs,
    ]),
  )
}
