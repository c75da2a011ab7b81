import { join } from 'node:path'

const DEPLOY = join(import.meta.dir, '..', '..', 'scripts', 'deploy')

/** A deployment file with every occurrence of the given texts replaced; throws when one of them does not occur. */
export async function deployFile(
  name: string,
  replacements: Readonly<Record<string, string>>,
): Promise<string> {
  const file = await Bun.file(join(DEPLOY, name)).text()
  return Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`${name} does not have "${from}"`)
    return text.replaceAll(from, to)
  }, file)
}

/** A port on which nothing listens. */
export function freePort(): number {
  const listener = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port = 0 } = listener
  void listener.stop(true)
  return port
}
