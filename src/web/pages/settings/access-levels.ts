import type { Structure } from '../../data/records/model.ts'
import type { Access } from '../../data/settings.ts'

const LEVELS = ['none', 'read', 'write']
const STRUCTURE_LEVELS = ['none', 'read', 'add', 'write']
export const LEVEL_LABELS: Readonly<Record<string, string>> = {
  none: 'none',
  read: 'read',
  add: 'add rows',
  write: 'write',
}
/** The key in `structures` for tables without their own entry. */
export const OTHER_STRUCTURES = '*'

/** A part of the workspace whose access is set. */
export interface Part {
  readonly name: string
  readonly title: string
  readonly levels: readonly string[]
}

export const partsOf = (structures: readonly Structure[]): Part[] => [
  { name: 'notes', title: 'Notes', levels: LEVELS },
  { name: 'files', title: 'Files', levels: LEVELS },
  ...structures.map(({ id, name }) => ({ name: id, title: name, levels: STRUCTURE_LEVELS })),
  { name: OTHER_STRUCTURES, title: 'Other tables', levels: STRUCTURE_LEVELS },
]

const isKind = (part: string): part is 'notes' | 'files' => part === 'notes' || part === 'files'

export const levelOf = (access: Access | undefined, part: string): string =>
  (isKind(part) ? access?.[part] : (access?.structures?.[part] ?? access?.structures?.[OTHER_STRUCTURES])) ??
  'write'

export const withLevel = (access: Access = {}, part: string, level: string): Access =>
  isKind(part)
    ? { ...access, [part]: level }
    : { ...access, structures: { ...access.structures, [part]: level } }
