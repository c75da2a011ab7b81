import manifest from '../../package.json' with { type: 'json' }

/** Set by every build (`scripts/lib/version.ts`). */
declare const DAYBOOK_VERSION: string | undefined

/** In the sources, the next release with `-dev`. */
export const VERSION: string =
  typeof DAYBOOK_VERSION === 'string' ? DAYBOOK_VERSION : `${manifest.version}-dev`

/** The version of the HTTP API; a minor version only adds to it. */
export const API_VERSION = '1.0.0'
