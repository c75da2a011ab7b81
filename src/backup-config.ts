import { readFileSync } from 'node:fs'
import {
  BadSetting,
  duration,
  type Environment,
  type Flags,
  setting,
  settings,
  variableOf,
  whole,
} from './lib/settings.ts'

/** A place for backups: a folder, or a prefix in a bucket of an S3-compatible store. */
export type BackupTargetSettings = FolderSettings | S3Settings

export interface FolderSettings {
  readonly kind: 'folder'
  /** As given: its name in metrics and messages. */
  readonly name: string
}

export interface S3Settings {
  readonly kind: 's3'
  /** `s3://bucket/prefix`, without a trailing slash. */
  readonly name: string
  readonly bucket: string
  /** Without slashes at its ends; may be empty. */
  readonly prefix: string
  readonly endpoint: string
  readonly region: string
  readonly credentials: S3Credentials
}

interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** Automatic backups of a server. */
export interface BackupSettings {
  readonly targets: readonly BackupTargetSettings[]
  readonly everyMs: number
  /** The number of backups that each target retains; older ones are removed. */
  readonly keep: number
  /** The age recipients to which backups in buckets are encrypted; none means that they are not. */
  readonly recipients: readonly string[]
  /** The time between drills, if there are any. */
  readonly drillEveryMs: number | undefined
  /** The content of an age identity file, with which drills open encrypted backups. */
  readonly identity: string | undefined
  /** Whether the write-ahead log is uploaded to the buckets between two backups. */
  readonly isStreamed: boolean
  /** The environment of the processes that make backups: without credentials and settings, which they get by pipe. */
  readonly environment: Readonly<Record<string, string>>
}

const isS3 = (text: string) => text.startsWith('s3://')

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/i
const PREFIX = /^[\w!.*'()=+@-]+(?:\/[\w!.*'()=+@-]+)*$/

function withoutOuterSlashes(text: string): string {
  let [start, end] = [0, text.length]
  while (text[start] === '/') start++
  while (end > start && text[end - 1] === '/') end--
  return text.slice(start, end)
}

function s3Settings(text: string, flags: Flags, env: Environment): S3Settings {
  const [bucket = '', ...rest] = text.slice('s3://'.length).split('/')
  const prefix = withoutOuterSlashes(rest.join('/'))
  if (!BUCKET.test(bucket) || (prefix !== '' && !PREFIX.test(prefix)))
    throw new BadSetting(`A bucket must be written as s3://bucket or s3://bucket/prefix, not "${text}".`)
  const region = setting('backup-region', flags, env) ?? (env.AWS_REGION || 'us-east-1')
  return {
    kind: 's3',
    name: `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`,
    bucket,
    prefix,
    endpoint: endpoint(setting('backup-endpoint', flags, env)) ?? `https://s3.${region}.amazonaws.com`,
    region,
    credentials: readCredentials(flags, env),
  }
}

function endpoint(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '')
    return withoutOuterSlashes(text)
  throw new BadSetting(
    '--backup-endpoint must be the http or https address of an S3-compatible store, such as https://minio.example.com:9000.',
  )
}

function readCredentials(flags: Flags, env: Environment): S3Credentials {
  const file = setting('backup-credentials-file', flags, env)
  if (file !== undefined) return credentialsIn(file)
  const found = credentialsOf(env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY, env.AWS_SESSION_TOKEN)
  if (found) return found
  throw new BadSetting(
    'Backups in a bucket need credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give --backup-credentials-file.',
  )
}

function credentialsOf(
  accessKeyId: string | undefined,
  secretAccessKey: string | undefined,
  sessionToken: string | undefined,
): S3Credentials | undefined {
  if (!accessKeyId || !secretAccessKey) return undefined
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
}

/** The name in a line `[default]` or `[profile default]`. */
function sectionIn(line: string): string | undefined {
  const end = line.indexOf(']')
  if (!line.startsWith('[') || end === -1) return undefined
  return line
    .slice(1, end)
    .trim()
    .replace(/^profile\s+/, '')
}

/** The section `default` of an INI file as the tools of AWS write it, or the lines before any section. */
function credentialsIn(file: string): S3Credentials {
  const values = new Map<string, string>()
  let section = 'default'
  for (const line of readText('backup-credentials-file', file).split('\n')) {
    section = sectionIn(line.trim()) ?? section
    const [, key, value] = /^\s*(aws_\w+)\s*=\s*(\S+)/i.exec(line) ?? []
    if (section === 'default' && key !== undefined && value !== undefined)
      values.set(key.toLowerCase(), value)
  }
  const found = credentialsOf(
    values.get('aws_access_key_id'),
    values.get('aws_secret_access_key'),
    values.get('aws_session_token'),
  )
  if (found) return found
  throw new BadSetting(
    `--backup-credentials-file must be an INI file with aws_access_key_id and aws_secret_access_key in the section [default]; "${file}" is none.`,
  )
}

function readText(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new BadSetting(`--${flag}: "${file}" cannot be read (${(error as { code?: string }).code}).`)
  }
}

/** One target as a flag or argument names it. */
export const targetSettings = (text: string, flags: Flags, env: Environment): BackupTargetSettings =>
  isS3(text) ? s3Settings(text, flags, env) : { kind: 'folder', name: text }

/** In the environment, targets are separated by commas, or by spaces beside an s3 address: folders may hold spaces. */
const separated = (text: string): string[] => text.split(',').flatMap((part) => besideS3(part.trim()))

function besideS3(text: string): string[] {
  const targets: string[] = []
  let before = ''
  // Words are at even places, the blanks between them at odd ones.
  const parts = text.split(/(\s+)/)
  for (let at = 0; at < parts.length; at += 2) {
    const word = parts[at] ?? ''
    if (at === 0 || isS3(word) || isS3(before)) targets.push(word)
    else targets.push(`${targets.pop()}${parts[at - 1]}${word}`)
    before = word
  }
  return targets
}

/** The targets of `--backup-dir`. */
export function readTargets(flags: Flags, env: Environment): BackupTargetSettings[] {
  const flag = flags['backup-dir']
  const given = Array.isArray(flag) ? flag.map(String) : separated(env[variableOf('backup-dir')] ?? '')
  if (Array.isArray(flag) && given.includes('')) setting('backup-dir', { 'backup-dir': '' }, env)
  const targets = given.filter((text) => text !== '').map((text) => targetSettings(text, flags, env))
  const twice = targets.find(({ name }, at) => targets.findIndex((other) => other.name === name) < at)
  if (twice) throw new BadSetting(`--backup-dir names ${twice.name} twice.`)
  return targets
}

/** The content of an age identity file. */
export function readIdentity(name: string, flags: Flags, env: Environment): string | undefined {
  const file = setting(name, flags, env)
  if (file === undefined) return undefined
  const text = readText(name, file)
  if (/^AGE-SECRET-KEY-/m.test(text)) return text
  throw new BadSetting(
    `--${name} must be an age identity file with a line AGE-SECRET-KEY-…; "${file}" is none.`,
  )
}

const RECIPIENT = /^age1[02-9ac-hj-np-z]{20,}$/

function readRecipients(flags: Flags, env: Environment): string[] {
  const given = settings('backup-recipient', flags, env)
  for (const text of given)
    if (!RECIPIENT.test(text))
      throw new BadSetting(
        // The most likely mistake is an identity, which must not reach a log.
        /^AGE-SECRET-KEY-/i.test(text)
          ? '--backup-recipient must be an age recipient such as age1…, not an identity; age-keygen -y prints its recipient.'
          : `--backup-recipient must be an age recipient such as age1…, not "${text}".`,
      )
  return given
}

const SCHEDULE = ['every', 'keep', 'drill']
const OF_BUCKETS = ['endpoint', 'region', 'credentials-file', 'recipient', 'identity', 'stream']

/** Refuses settings that have no effect; the environment may hold those of other commands. */
function refuseUseless(targets: readonly BackupTargetSettings[], flags: Flags, env: Environment): void {
  const given = (name: string) => flags[`backup-${name}`] !== undefined
  const lonely =
    [...SCHEDULE, ...OF_BUCKETS].find(given) ?? SCHEDULE.find((name) => env[variableOf(`backup-${name}`)])
  if (targets.length === 0 && lonely !== undefined)
    throw new BadSetting(`--backup-${lonely} needs --backup-dir, the folder or bucket for the backups.`)
  const ofBuckets = OF_BUCKETS.find(given)
  if (ofBuckets !== undefined && !targets.some(({ kind }) => kind === 's3') && targets.length > 0)
    throw new BadSetting(`--backup-${ofBuckets} needs a bucket: --backup-dir s3://bucket/prefix.`)
  if (given('identity') && setting('backup-drill', flags, env) === undefined)
    throw new BadSetting('--backup-identity needs --backup-drill, which opens backups with it.')
}

/** A switch: on in the environment with any value but `0`, `false`, `no` and `off`. */
function readStream(targets: readonly BackupTargetSettings[], flags: Flags, env: Environment): boolean {
  const text = env[variableOf('backup-stream')] ?? ''
  const isOn = flags['backup-stream'] === true || !/^(?:|0|false|no|off)$/i.test(text)
  if (!isOn) return false
  if (!targets.some(({ kind }) => kind === 's3'))
    throw new BadSetting('--backup-stream needs a bucket: --backup-dir s3://bucket/prefix.')
  if (setting('checkpoint', flags, env) === 'off')
    throw new BadSetting(
      '--backup-stream needs --checkpoint auto: only one program can checkpoint the database.',
    )
  return true
}

/** Credentials and settings reach the processes by pipe; S3 variables of the environment would override them. */
const OWN_VARIABLE = /^(?:AWS|S3|DAYBOOK)_/

const passedOn = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (variable): variable is [string, string] =>
        variable[1] !== undefined && !OWN_VARIABLE.test(variable[0]),
    ),
  )

/** The automatic backups of a server; undefined without a target. */
export function backupSettings(flags: Flags, env: Environment): BackupSettings | undefined {
  const targets = readTargets(flags, env)
  refuseUseless(targets, flags, env)
  if (targets.length === 0) return undefined
  const drill = setting('backup-drill', flags, env)
  return {
    targets,
    everyMs: duration('backup-every', setting('backup-every', flags, env) ?? '24h'),
    keep: whole('backup-keep', setting('backup-keep', flags, env) ?? '7', 1, 10_000),
    recipients: readRecipients(flags, env),
    drillEveryMs: drill === undefined ? undefined : duration('backup-drill', drill),
    identity: readIdentity('backup-identity', flags, env),
    isStreamed: readStream(targets, flags, env),
    environment: passedOn(env),
  }
}
