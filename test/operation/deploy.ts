import { join } from 'node:path'

const SCRIPTS = join(import.meta.dir, '..', '..', 'scripts')

/**
 * Returns a deployment file with every occurrence of the given texts replaced; throws if one of them does not occur.
 */
export async function deployFile(
  name: string,
  replacements: Readonly<Record<string, string>>,
): Promise<string> {
  const file = await Bun.file(join(SCRIPTS, 'deploy', name)).text()
  return Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`${name} does not have "${from}"`)
    return text.replaceAll(from, to)
  }, file)
}

/** Returns a port without a listener. */
export function freePort(): number {
  const listener = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port = 0 } = listener
  void listener.stop(true)
  return port
}

/** Returns the shell lines after the comment `<!-- name -->` of a page of the guide, without their comments. */
export async function guideLines(page: string, name: string): Promise<string[]> {
  const [, block] = (await Bun.file(join(SCRIPTS, 'guide', page)).text()).split(
    `<!-- ${name} -->\n\`\`\`sh\n`,
  )
  if (block === undefined) throw new Error(`${page} has no lines "${name}"`)
  const [lines = ''] = block.split('\n```')
  return lines.split('\n').map((line) => line.replace(/ +#.*$/, ''))
}
