import manifest from '../../package.json' with { type: 'json' }

export const VERSION: string = manifest.version

/** Of the HTTP API: a new minor version only adds to it. */
export const API_VERSION = '1.0.0'
