/** Where a copy is and listens unless it is said otherwise: not where a server does. */
export const COPY_DEFAULTS = { db: 'mirror.db', port: '8788' }
