import { Refusal } from '../lib/refusal.ts'

/** The operations on a structure: see its definition, read its rows, add rows, and change anything of it. */
export type Ability = 'see' | 'read' | 'add' | 'change'

const ABILITIES = {
  none: [],
  /** The remaining part of `add` for a caller who can only read. */
  definition: ['see'],
  add: ['see', 'add'],
  read: ['see', 'read'],
  write: ['see', 'read', 'add', 'change'],
} as const satisfies Record<string, readonly Ability[]>

export type Level = keyof typeof ABILITIES

export const LEVELS = ['none', 'read', 'write'] as const
export const STRUCTURE_LEVELS = ['none', 'read', 'add', 'write'] as const

/** The kinds of objects to which access is given as a whole; `notes` are also tags, properties, views and the like. */
export type Kind = 'notes' | 'files'

/** In `structures`: every structure that is not named, also later ones. */
export const OTHERS = '*'

/** The access of a member or a key, as sent; omitted parts are not narrowed. */
export interface Access {
  readonly notes?: (typeof LEVELS)[number]
  readonly files?: (typeof LEVELS)[number]
  /** By the id of a structure. */
  readonly structures?: Readonly<Record<string, (typeof STRUCTURE_LEVELS)[number]>>
}

/**
 * The permissions of a caller: the minimum of role, scope, the member's access and the key's, with every part
 * present.
 */
export interface Rights {
  readonly notes: (typeof LEVELS)[number]
  readonly files: (typeof LEVELS)[number]
  readonly structures: Readonly<Record<string, Level>>
}

const NARROWEST_FIRST = Object.keys(ABILITIES) as Level[]

/** The abilities of both. */
function meet<Of extends Level>(one: Of, other: Of): Of {
  const others: readonly Ability[] = ABILITIES[other]
  const shared = ABILITIES[one].filter((ability) => others.includes(ability))
  const isShared = (level: Level) => String(ABILITIES[level]) === String(shared)
  return (NARROWEST_FIRST.find(isShared) ?? 'none') as Of
}

/** Whether anything is out of reach with it. */
export const narrows = ({ notes, files, structures = {} }: Access): boolean =>
  [notes, files, ...Object.values(structures)].some((level) => level !== undefined && level !== 'write')

/** An access as it is stored; null where nothing is narrowed. */
export const storedAccess = (access: Access | null | undefined): string | null =>
  access && narrows(access) ? JSON.stringify(access) : null

export const readAccess = (stored: string | null): Access | null =>
  stored === null ? null : (JSON.parse(stored) as Access)

const levelIn = ({ structures }: Pick<Partial<Rights>, 'structures'>, id: string): Level =>
  structures?.[id] ?? structures?.[OTHERS] ?? 'write'

/**
 * The permissions under these accesses of the member and of the key; undefined when nothing is narrowed. `mayWrite`:
 * according to role and scope.
 */
export function rightsOf(accesses: readonly (Access | null)[], mayWrite: boolean): Rights | undefined {
  const narrowing = accesses.filter((access) => access !== null && narrows(access)) as Access[]
  if (narrowing.length === 0) return undefined
  const least = <Of extends Level>(levels: readonly (Of | undefined)[]): Of | 'read' | 'write' =>
    levels.reduce<Of | 'read' | 'write'>(
      (least, level = 'write' as Of) => meet(least, level),
      mayWrite ? 'write' : 'read',
    )
  const ids = new Set([OTHERS, ...narrowing.flatMap(({ structures = {} }) => Object.keys(structures))])
  return {
    notes: least(narrowing.map(({ notes }) => notes)),
    files: least(narrowing.map(({ files }) => files)),
    structures: Object.fromEntries(
      [...ids].map((id) => [id, least(narrowing.map((access) => levelIn(access, id)))]),
    ),
  }
}

/** As responses show it: without the ids of hidden structures where others are hidden, too. */
export const presentRights = ({ notes, files, structures }: Rights): Access => {
  const shown = (level: Level) => (level === 'definition' ? 'add' : level)
  const isTold = ([id, level]: [string, Level]) =>
    id === OTHERS || level !== 'none' || structures[OTHERS] !== 'none'
  const told = Object.entries(structures).filter(isTold)
  return { notes, files, structures: Object.fromEntries(told.map(([id, level]) => [id, shown(level)])) }
}

/** Whether something may be done with a structure, which `OTHERS` names where it does not exist yet. */
export const may = (rights: Rights | undefined, structureId: string, ability: Ability): boolean =>
  rights === undefined || (ABILITIES[levelIn(rights, structureId)] as readonly Ability[]).includes(ability)

const NEEDED = { see: 'read', read: 'read', add: 'add', change: 'write' } as const

const noAccess = (needed: string, to: string, level: Level) =>
  new Refusal(
    'no_access',
    `This needs "${needed}" access to ${to}, and yours is "${level === 'definition' ? 'add' : level}"; ask an owner of the workspace for more.`,
  )

/** Refuses what may not be done with a structure that the caller sees. */
export function checkAbility(
  rights: Rights | undefined,
  { id, name }: { readonly id: string; readonly name: string },
  ability: Ability,
): void {
  if (rights === undefined || may(rights, id, ability)) return
  throw noAccess(NEEDED[ability], `the structure "${name}"`, levelIn(rights, id))
}

/** Refuses to read the rows of a structure that the caller sees. */
export const checkRowsRead = (rights: Rights | undefined, id: string): void => {
  if (rights !== undefined && !may(rights, id, 'read'))
    throw noAccess('read', 'the rows of this structure', levelIn(rights, id))
}

export function checkMaking(rights: Rights | undefined): void {
  if (rights === undefined || may(rights, OTHERS, 'change')) return
  throw noAccess('write', 'structures that are not named ("*")', levelIn(rights, OTHERS))
}

export function checkWrite(rights: Rights | undefined, kind: Kind): void {
  if (rights !== undefined && rights[kind] !== 'write') throw noAccess('write', kind, rights[kind])
}

/** Whether objects of a kind are as if they did not exist. */
export const hides = (rights: Rights | undefined, kind: Kind): boolean => rights?.[kind] === 'none'

/** Whether a share may be had of a structure, or without one of notes, whose pages give the files that they name. */
export const mayShare = (rights: Rights | undefined, structureId: string | null): boolean =>
  structureId === null
    ? rights === undefined || (rights.notes === 'write' && rights.files !== 'none')
    : may(rights, structureId, 'change')

/**
 * The content that an endpoint shows and changes. A kind is refused or finds nothing as a whole (`checkCovered`); for
 * `structures` the functions that find them check the rights; for `several` the response omits hidden content.
 */
export type Covers = Kind | 'structures' | 'several' | 'nothing'

/** The pk of no workspace: where a caller looks for what is hidden from them. */
export const NOWHERE = 0

/**
 * Returns the workspace in which a call looks for what it covers. Refuses one that may not write it; `isNamed`: it names an
 * object, which is not found where the kind is hidden.
 */
export function checkCovered(
  rights: Rights | undefined,
  workspacePk: number,
  {
    covers,
    isWrite,
    isNamed,
  }: { readonly covers: Covers; readonly isWrite: boolean; readonly isNamed: boolean },
): number {
  if (rights === undefined || (covers !== 'notes' && covers !== 'files')) return workspacePk
  const isHidden = hides(rights, covers)
  if (isWrite && !(isHidden && isNamed)) checkWrite(rights, covers)
  return isHidden ? NOWHERE : workspacePk
}
