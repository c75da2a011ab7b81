import { spawnSync } from 'bun'
import manifest from '../../package.json' with { type: 'json' }

const { version } = manifest

function git(...args: string[]): string | undefined {
  try {
    const { success, stdout } = spawnSync(['git', ...args], { stderr: 'ignore' })
    return success ? stdout.toString().trim() : undefined
  } catch {
    return undefined
  }
}

/** Returns a short hash of the changes since the commit; empty for a clean work tree. */
function changesSince(): string {
  const changes = `${git('status', '--porcelain') ?? ''}${git('diff', 'HEAD') ?? ''}`
  return changes === '' ? '' : `.d${Bun.SHA256.hash(changes, 'hex').slice(0, 8)}`
}

/**
 * The version of a build. Only the commit tagged `v<version>`, without changes, has the plain number of `package.json`.
 * Every other build sorts before that release and names its commit, so that two different builds never share a version:
 * `0.2.0-dev.<commits>.g<commit>`.
 */
export function buildVersion(): string {
  const commit = git('rev-parse', '--short=10', 'HEAD')
  if (commit === undefined) return `${version}-dev`
  const changes = changesSince()
  const isTagged = git('tag', '--points-at', 'HEAD')?.split('\n').includes(`v${version}`)
  if (isTagged && changes === '') return version
  return `${version}-dev.${git('rev-list', '--count', 'HEAD')}.g${commit}${changes}`
}

/** Returns the flag that sets this version when Bun builds or runs daybook. */
export const defineVersion = (built: string): string => `--define=DAYBOOK_VERSION=${JSON.stringify(built)}`
