import { spawn, which } from 'bun'
import type { newFolder } from '../support/process.ts'

export const NGINX = which('nginx', { PATH: `${Bun.env.PATH}:/usr/sbin` })
export const CADDY = which('caddy')

type Folder = ReturnType<typeof newFolder>

/** Returns the command for nginx with the deployed "http" section, and the minimal configuration around it. */
export async function nginxCommand(folder: Folder, deployed: string): Promise<string[]> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder.file(kind)};`,
  )
  const around = `daemon off; pid ${folder.file('nginx.pid')}; error_log stderr; events {}`
  const file = folder.file('nginx.conf')
  await Bun.write(file, `${around} http { ${temporary.join(' ')}\n${deployed} }\n`)
  return [NGINX ?? '', '-e', 'stderr', '-c', file]
}

export async function caddyCommand(folder: Folder, deployed: string): Promise<string[]> {
  const file = folder.file('Caddyfile')
  await Bun.write(file, `{\n\tadmin off\n}\n${deployed}`)
  return [CADDY ?? '', 'run', '--adapter', 'caddyfile', '--config', file]
}

/** Waits until the server behind the proxy is healthy; throws the proxy's log if it does not become healthy. */
export async function startProxy(folder: Folder, command: string[], url: string) {
  const log = folder.file('proxy.log')
  const child = spawn(command, {
    env: { HOME: folder.path },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: Bun.file(log),
  })
  for (let tries = 0; tries < 1_000; tries++) {
    const health = await fetch(`${url}/healthz`).catch(() => undefined)
    if (health?.ok) return child
    await Bun.sleep(50)
  }
  child.kill()
  throw new Error(`the proxy did not start: ${await Bun.file(log).text()}`)
}
