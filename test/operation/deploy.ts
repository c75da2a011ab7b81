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

/** The lines of shell after the comment `<!-- name -->` of a page, without their remarks. */
export async function deployLines(page: string, name: string): Promise<string[]> {
  const [, block] = (await deployFile(page, {})).split(`<!-- ${name} -->\n\`\`\`sh\n`)
  if (block === undefined) throw new Error(`${page} has no lines "${name}"`)
  const [lines = ''] = block.split('\n```')
  return lines.split('\n').map((line) => line.replace(/ +#.*$/, ''))
}
