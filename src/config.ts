import { readFileSync } from 'node:fs'
import type { BlockList } from 'node:net'
import { type BackupSettings, backupSettings } from './backup-config.ts'
import { type AllowlistEntry, parseAllowlist } from './lib/addresses.ts'
import { LOG_LEVELS, type LogLevel } from './lib/log.ts'
import { nodeNet } from './lib/node-modules.ts'
import {
  BadSetting,
  bytes,
  duration,
  type Environment,
  type Flags,
  SETTING_PREFIX,
  setting,
  settings,
  UNIT_BYTES,
  UNIT_MS,
  variableOf,
  whole,
} from './lib/settings.ts'
import type { Role } from './storage/schema/account.ts'

/** The settings of one process: a flag, or else `DAYBOOK_<FLAG>`, or else the default. */
export interface Config {
  readonly db: string
  readonly host: string
  readonly port: number
  readonly corsOrigins: readonly string[]
  /**
   * The public addresses of the application, if they differ from the listening address:
   * `https://daybook.example.com`.
   */
  readonly publicUrls: readonly string[]
  /** The proxies whose `X-Forwarded-For` is trusted, if any. */
  readonly trustedProxies: BlockList | undefined
  /** Requests per minute and key; null means no limit. */
  readonly rateLimit: number | null
  readonly logLevel: LogLevel
  /** `off` if another program replicates the database and therefore performs its checkpoints. */
  readonly checkpoint: Checkpoint
  /** The hosts and networks that webhooks may call in addition to public https addresses. */
  readonly webhookAllowlist: readonly AllowlistEntry[]
  /** Additional certificates that deliveries trust, in PEM. */
  readonly webhookCa: string | undefined
  /** The sign-in provider, if any. */
  readonly oidc: OidcSettings | undefined
  /** The retention of changes in the log, in milliseconds. */
  readonly keepChangesMs: number
  /** The number of bytes that the forms of a workspace may write per day. */
  readonly formBytesPerDay: number
  /** The maximum size of the stored events of one source, in bytes; no setting changes it. */
  readonly sourceBytes: number
  /** Automatic backups, if any. */
  readonly backup: BackupSettings | undefined
  /** The user that the link of a demo signs in, and the token of the link; no setting turns a server into a demo. */
  readonly demo?: { readonly user: string; readonly token: string }
}

/** An OpenID Connect provider for signing in. */
export interface OidcSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The label of its button. */
  readonly name: string
  /** Maps a claim of the provider to roles, if set. */
  readonly roleClaim: RoleClaim | undefined
  /** Additional trusted certificates in PEM. */
  readonly ca: string | undefined
}

/** A claim whose values give a role in a workspace. The first role with a matching value applies. */
export interface RoleClaim {
  readonly claim: string
  readonly roles: readonly { readonly value: string; readonly role: Role }[]
  /** By name or id; undefined for the first workspace. */
  readonly workspace: string | undefined
}

export const CHECKPOINTS = ['auto', 'off'] as const
export type Checkpoint = (typeof CHECKPOINTS)[number]

function logLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text)
  if (level) return level
  throw new BadSetting(`--log-level must be one of ${LOG_LEVELS.join(', ')}, not "${text}".`)
}

/** Applications and browser extensions have origins with a custom scheme, which the URL standard calls opaque. */
const APP_ORIGIN = /^(?!(?:https?|wss?|ftp|file):)[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(?::\d+)?$/

function origin(text: string): string {
  if (APP_ORIGIN.test(text) || (URL.canParse(text) && new URL(text).origin === text)) return text
  throw new BadSetting(`--cors-origin must be an origin such as https://app.example.com, not "${text}".`)
}

function publicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href) return url.origin
  throw new BadSetting(
    `--public-url must be an address such as https://daybook.example.com, without a path, not "${text}".`,
  )
}

function trustedProxies(texts: readonly string[]): BlockList | undefined {
  if (texts.length === 0) return undefined
  const proxies = new (nodeNet().BlockList)()
  for (const text of texts) {
    const [address = '', prefix, ...rest] = text.split('/')
    const bits = { 0: 0, 4: 32, 6: 128 }[nodeNet().isIP(address)] ?? 0
    if (
      bits === 0 ||
      rest.length > 0 ||
      (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && +prefix <= bits))
    )
      throw new BadSetting(
        `--trusted-proxy must be an address such as 127.0.0.1 or a range such as 172.16.0.0/12, not "${text}".`,
      )
    proxies.addSubnet(address, Number(prefix ?? bits), bits === 32 ? 'ipv4' : 'ipv6')
  }
  return proxies
}

function webhookAllowlist(texts: readonly string[]): AllowlistEntry[] {
  try {
    return parseAllowlist(texts)
  } catch (error) {
    throw new BadSetting((error as Error).message)
  }
}

/** The name of standard input in place of a file, and its descriptor. */
const STDIN = { name: '-', descriptor: 0 }

/** Reads a file with at least one valid certificate, or standard input. */
function certificates(name: string, file: string): string {
  try {
    const text = readFileSync(file === STDIN.name ? STDIN.descriptor : file, 'utf8')
    // Not a static import: it would read all root certificates at the start of every command.
    process.getBuiltinModule('node:tls').createSecureContext({ ca: text })
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  } catch {
    // Refused below.
  }
  throw new BadSetting(`--${name} must be a file with certificates in PEM form; "${file}" is none.`)
}

function keepChanges(text: string): number {
  const ms = duration('keep-changes', text)
  if (ms >= UNIT_MS.d) return ms
  throw new BadSetting(`--keep-changes must be at least 1d, not "${text}".`)
}

/** Whether the URL uses plain http on this machine. */
export const isLoopbackUrl = (text: string): boolean =>
  /^http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/]|$)/i.test(text)

function issuer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && url.search === '' && url.hash === '' && url.username === ''
  if (isPlain && (url.protocol === 'https:' || isLoopbackUrl(url.href))) return text
  throw new BadSetting(
    `--oidc-issuer must be an https address such as https://id.example.com, by http only on this machine, not "${text}".`,
  )
}

/** The content of the file without the line break that most editors append. */
function secretIn(file: string): string {
  try {
    const secret = readFileSync(file === STDIN.name ? STDIN.descriptor : file, 'utf8').replace(/\r?\n$/, '')
    if (secret !== '') return secret
  } catch {
    // Refused below.
  }
  throw new BadSetting(
    `--oidc-client-secret-file must be a file with the secret of the client; "${file}" is none.`,
  )
}

/** Parses `groups=admins:owner,staff:editor`; a value may contain colons. */
function roleClaim(text: string, workspace: string | undefined): RoleClaim {
  const [, claim, pairs = ''] = /^([^=]+)=(.*)$/.exec(text) ?? []
  const roles = pairs.split(',').map((pair) => {
    const [, value, role] = /^(.+):(owner|editor|viewer)$/.exec(pair) ?? []
    return value === undefined ? [] : [{ value, role: role as Role }]
  })
  if (claim !== undefined && roles.every(({ length }) => length === 1))
    return { claim, roles: roles.flat(), workspace }
  throw new BadSetting(
    `--oidc-role-claim must be a claim with values and roles such as groups=admins:owner,staff:editor, not "${text}".`,
  )
}

const OIDC_FLAGS = ['client-id', 'client-secret-file', 'name', 'role-claim', 'workspace', 'ca'] as const

function oidcSettings(flags: Flags, env: Environment): OidcSettings | undefined {
  const address = setting('oidc-issuer', flags, env)
  const [clientId, secretFile, name, claim, workspace, ca] = OIDC_FLAGS.map((flag) =>
    setting(`oidc-${flag}`, flags, env),
  )
  if (address === undefined) {
    const given = OIDC_FLAGS.find((flag) => setting(`oidc-${flag}`, flags, env) !== undefined)
    if (given === undefined) return undefined
    throw new BadSetting(`--oidc-${given} needs --oidc-issuer, the address of the provider.`)
  }
  if (clientId === undefined || secretFile === undefined)
    throw new BadSetting('--oidc-issuer needs --oidc-client-id and --oidc-client-secret-file.')
  if (readPublicUrls(env, flags).length === 0)
    throw new BadSetting('--oidc-issuer needs --public-url, to which the provider redirects users.')
  if (workspace !== undefined && claim === undefined)
    throw new BadSetting('--oidc-workspace needs --oidc-role-claim, which maps claims to roles.')
  const checked = issuer(address)
  return {
    issuer: checked,
    clientId,
    clientSecret: secretIn(secretFile),
    name: name ?? `Sign in with ${new URL(checked).host}`,
    roleClaim: claim === undefined ? undefined : roleClaim(claim, workspace),
    ca: ca === undefined ? undefined : certificates('oidc-ca', ca),
  }
}

/** The database file of a command. */
export const readDatabaseFile = (env: Environment, flags: Flags): string =>
  setting('db', flags, env) ?? 'daybook.db'

/** The public addresses of the application, for links that a command prints. */
export const readPublicUrls = (env: Environment, flags: Flags): string[] =>
  settings('public-url', flags, env).map(publicUrl)

/** The API key of a command that is a client of another daybook. */
export const readKey = (env: Environment, flags: Flags): string | undefined => setting('key', flags, env)

/** Additional certificates that a client of another daybook trusts. */
export function readCa(env: Environment, flags: Flags): string | undefined {
  const file = setting('ca', flags, env)
  return file === undefined ? undefined : certificates('ca', file)
}

/** The private targets for which webhooks may be created. */
export const readWebhookAllowlist = (env: Environment, flags: Flags): AllowlistEntry[] =>
  webhookAllowlist(settings('webhook-allow', flags, env))

/** The signing secret of a webhook; the environment keeps it out of the process list. */
export const readSecret = (env: Environment, flags: Flags): string | undefined =>
  setting('secret', flags, env)

/** Commands have no such flag, but read the same environment variable as the server. */
export function readCheckpoint(env: Environment, flags: Flags = {}): Checkpoint {
  const text = setting('checkpoint', flags, env) ?? 'auto'
  const checkpoint = CHECKPOINTS.find((known) => known === text)
  if (checkpoint) return checkpoint
  throw new BadSetting(`--checkpoint must be one of ${CHECKPOINTS.join(', ')}, not "${text}".`)
}

/** The settings in the environment: values of the named settings, and only names of all others, which may be secret. */
export function readSettings(env: Environment, shown: readonly string[]): Record<string, string> {
  const variables = new Set(shown.map(variableOf))
  const set = Object.entries(env).filter(([name, value]) => name.startsWith(SETTING_PREFIX) && value)
  return Object.fromEntries(set.map(([name, value = '']) => [name, variables.has(name) ? value : '(set)']))
}

/** This file and `backup-config.ts` are the only readers of the environment. Throws BadSetting. */
export function readConfig(env: Environment, flags: Flags = {}): Config {
  const rateLimit = setting('rate-limit', flags, env)
  const webhookCa = setting('webhook-ca', flags, env)
  return {
    db: readDatabaseFile(env, flags),
    host: setting('host', flags, env) ?? '127.0.0.1',
    port: whole('port', setting('port', flags, env) ?? '8787', 0, 65_535),
    corsOrigins: settings('cors-origin', flags, env).map(origin),
    publicUrls: readPublicUrls(env, flags),
    trustedProxies: trustedProxies(settings('trusted-proxy', flags, env)),
    rateLimit: rateLimit === undefined ? null : whole('rate-limit', rateLimit, 1, 1_000_000),
    logLevel: logLevel(setting('log-level', flags, env) ?? 'info'),
    webhookAllowlist: readWebhookAllowlist(env, flags),
    webhookCa: webhookCa === undefined ? undefined : certificates('webhook-ca', webhookCa),
    checkpoint: readCheckpoint(env, flags),
    oidc: oidcSettings(flags, env),
    keepChangesMs: keepChanges(setting('keep-changes', flags, env) ?? '30d'),
    formBytesPerDay: bytes('form-bytes-per-day', setting('form-bytes-per-day', flags, env) ?? '1GiB'),
    sourceBytes: UNIT_BYTES.GiB,
    backup: backupSettings(flags, env),
  }
}
