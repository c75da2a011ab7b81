import { appendFileSync, cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { spawnSync } from 'bun'

/**
 * Builds the executable of another version, which differs in a module that all screens share and in the style sheet.
 * Returns its path.
 */
export function buildVersion(folder: string, name: string): string {
  const sources = join(folder, name)
  for (const part of ['src', 'scripts', 'drizzle', 'package.json', 'tsconfig.json', 'LICENSE'])
    cpSync(resolve(part), join(sources, part), {
      recursive: true,
      filter: (path) => !path.includes('node_modules'),
    })
  for (const modules of ['node_modules', 'src/web/node_modules'])
    try {
      symlinkSync(resolve(modules), join(sources, modules))
    } catch {
      // Not every installation has both files.
    }
  const icons = join(sources, 'src/web/components/icon.tsx')
  writeFileSync(
    icons,
    readFileSync(icons, 'utf8').replace('agent: (', `version${name}: <path d="M0 0" />,\n  agent: (`),
  )
  appendFileSync(join(sources, 'src/web/styles/main.css'), `\n.version-${name} { color: red; }\n`)
  const outfile = join(folder, `daybook-${name}`)
  const { exitCode } = spawnSync([process.execPath, 'scripts/build.ts', '--outfile', outfile], {
    cwd: sources,
  })
  if (exitCode !== 0) throw new Error(`version ${name} could not be built`)
  return outfile
}
