import { join } from 'node:path'

const README = join(import.meta.dir, '..', '..', 'README.md')

/** The example that stands in the README below `<!-- <name> -->`, so that what is tested is what is read there. */
export async function exampleOf(name: string): Promise<string> {
  const text = await Bun.file(README).text()
  const [, example] = new RegExp(`<!-- ${name} -->\\n\`\`\`\\w*\\n([\\s\\S]*?)\`\`\``).exec(text) ?? []
  if (example === undefined) throw new Error(`the README has no example "${name}"`)
  return example
}

/** The example with every occurrence of the given texts replaced; each must be there. */
export function filledIn(example: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the example does not have "${from}"`)
    return text.replaceAll(from, to)
  }, example)
}
