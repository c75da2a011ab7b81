/**
 * Checks the messages of the commits since `FIRST_CHECKED`: a subject of at most 72 characters, an empty line, and a
 * body that gives the reason. A shallow clone lacks these commits, so it skips the check.
 */
import { spawnSync } from 'bun'

/** The last commit before the rule. */
const FIRST_CHECKED = '8efafd65b1f2'
const MAX_SUBJECT = 72

const since = process.argv[2] ?? FIRST_CHECKED

function git(...args: string[]): string | undefined {
  const { success, stdout } = spawnSync(['git', ...args], { stderr: 'ignore' })
  return success ? stdout.toString() : undefined
}

function faultOf(message: string): string | undefined {
  const [subject = '', separator = '', ...body] = message.trimEnd().split('\n')
  const length = Array.from(subject).length
  if (length > MAX_SUBJECT) return `the subject has ${length} characters; shorten it to ${MAX_SUBJECT}`
  if (separator !== '') return 'separate the subject from the body with an empty line'
  return body.length === 0 ? 'add a body that gives the reason' : undefined
}

function skip(reason: string): never {
  process.stdout.write(`Skipped the check of commit messages: ${reason}.\n`)
  process.exit(0)
}

if (git('rev-parse', '--is-shallow-repository')?.trim() !== 'false')
  skip('this is no clone with the full history')
const log = git('log', '--no-merges', '-z', '--format=%h%n%B', `${since}..HEAD`)
if (log === undefined) skip(`${since} is not part of this history`)

const commits = log.split('\0').filter((commit) => commit !== '')
const faults = commits.flatMap((commit) => {
  const end = commit.indexOf('\n')
  const message = commit.slice(end + 1)
  const fault = faultOf(message)
  return fault === undefined ? [] : [`${commit.slice(0, end)} "${message.split('\n')[0]}": ${fault}.\n`]
})
for (const fault of faults) process.stderr.write(fault)
if (faults.length > 0) process.exit(1)
process.stdout.write(`${commits.length} commit messages checked.\n`)
