/** The access to notes and to files, and that to a structure, which the API knows. */
export const LEVELS = ['none', 'read', 'write'] as const
export const STRUCTURE_LEVELS = ['none', 'read', 'add', 'write'] as const
