/** The default database and port of a copy, which differ from those of a server. */
export const COPY_DEFAULTS = { db: 'mirror.db', port: '8788' }
