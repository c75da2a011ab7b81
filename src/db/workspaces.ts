import type { Reader } from './reader.ts'

/** Every workspace by creation; each has search tables of its own, which a check goes through. */
export const listWorkspacePks = ({ sql }: Reader): number[] =>
  sql.column('SELECT pk FROM workspaces ORDER BY pk')
