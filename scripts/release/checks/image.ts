import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { spawnSync } from 'bun'
import { VERSION } from '../../../src/lib/version.ts'
import { FOLDER, fileNames, type Target } from '../targets.ts'
import { isInstalled, run, useNotes, useServer } from './run.ts'

interface Image {
  config: {
    User: string
    Env: string[]
    Entrypoint: string[]
    Cmd: string[]
    Healthcheck: { Test: string[] }
  }
}

/** Unpacks the only layer directly, or with container tools where they are installed. */
function unpack(archive: string, folder: string): { root: string; image: Image; how: string } {
  const bundle = join(folder, 'bundle')
  run(['tar', '-xf', archive, '-C', folder])
  const [{ Config, Layers }] = JSON.parse(run(['cat', join(folder, 'manifest.json')]))
  const image = JSON.parse(run(['cat', join(folder, Config)]))
  if (isInstalled('skopeo', 'umoci')) {
    run(['skopeo', 'copy', '--quiet', `oci-archive:${archive}`, `oci:${join(folder, 'copy')}:latest`])
    run(['umoci', 'unpack', '--image', `${join(folder, 'copy')}:latest`, bundle])
    return { root: join(bundle, 'rootfs'), image, how: 'unpacked by skopeo and umoci' }
  }
  mkdirSync(bundle)
  run(['tar', '-xzf', join(folder, Layers[0]), '--numeric-owner', '-C', bundle])
  return { root: bundle, image, how: 'unpacked by tar' }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const address = server.address()
  await new Promise((closed) => server.close(closed))
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

/**
 * Starts the image's program as the image's user, with its environment and in a file system with only the content of
 * the layer. Runs its health check, and finds the data in its volume.
 */
export async function checkImage(target: Target): Promise<string> {
  if (process.getuid?.() !== 0) return 'not started: only root can change into its file system'
  const archive = resolve(FOLDER, fileNames(target).image)
  const folder = mkdtempSync(join(tmpdir(), 'daybook-image-'))
  try {
    const { root, image, how } = unpack(archive, folder)
    return `${how}, ${await useImage(root, image)}${loadWithPodman(archive)}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Every container has these mounts. Without /proc the program does not start; without /dev it reads no files. */
const MOUNTS = [
  ['proc', ['-t', 'proc', 'proc']],
  ['dev', ['--bind', '/dev']],
] as const

/** Runs `use` with the mounts of a container; returns false if this machine does not allow them. */
async function withMounts(root: string, use: () => Promise<void>): Promise<boolean> {
  const mounted: string[] = []
  try {
    for (const [name, options] of MOUNTS) {
      const place = join(root, name)
      mkdirSync(place, { recursive: true })
      if (!spawnSync(['mount', ...options, place], { stderr: 'ignore' }).success) return false
      mounted.push(place)
    }
    await use()
    return true
  } finally {
    for (const place of mounted.toReversed()) run(['umount', place])
  }
}

async function useImage(root: string, { config }: Image): Promise<string> {
  const { User, Env, Entrypoint, Cmd, Healthcheck } = config
  const variables = Object.fromEntries(Env.map((pair) => pair.split(/=(.*)/s).slice(0, 2)))
  const port = String(await freePort())
  const env = { ...variables, DAYBOOK_PORT: port, DAYBOOK_HOST: '127.0.0.1', DAYBOOK_LOG_LEVEL: 'warn' }
  const inImage = ['/usr/sbin/chroot', `--userspec=${User}`, root]
  const isUsed = await withMounts(root, () =>
    useServer([...inImage, ...Entrypoint, ...Cmd], { env }, async (url, key) => {
      await useNotes(url, key)
      run([...inImage, ...Healthcheck.Test.slice(1)], { env })
      cpSync('test/files/samples/handbook.pdf', join(root, 'tmp/handbook.pdf'))
      run([...inImage, ...Entrypoint, 'files', 'add', '/tmp/handbook.pdf'], { env })
      const listed = run([...inImage, ...Entrypoint, 'files', 'list'], { env })
      if (!listed.includes('ready, 3 pages')) throw new Error(`The text of a file is not read: ${listed}`)
    }),
  )
  if (!isUsed) return 'not started, as nothing can be mounted here'
  const owner = run(['stat', '--format=%u:%g %a', join(root, 'data/daybook.db')]).trim()
  if (owner !== `${User} 600`) throw new Error(`The database in the volume is of ${owner}.`)
  return `served requests and read a file as ${User}`
}

/** Uses separate storage, so that the images of this machine stay unchanged. */
function loadWithPodman(archive: string): string {
  if (!isInstalled('podman')) return ''
  const folder = mkdtempSync(join(tmpdir(), 'daybook-podman-'))
  const podman = [
    'podman',
    '--root',
    join(folder, 'root'),
    '--runroot',
    join(folder, 'run'),
    '--storage-driver',
    'vfs',
  ]
  try {
    run([...podman, 'load', '--quiet', '--input', archive])
    const images = run([...podman, 'images', '--format', '{{.Repository}}:{{.Tag}}'])
    if (!images.includes(`daybook:${VERSION}`)) throw new Error(`podman loaded ${images}`)
    return ', loaded by podman'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
