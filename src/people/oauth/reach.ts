import { and, eq } from 'drizzle-orm'
import { type Access, type Level, OTHERS, type Rights, readAccess, rightsOf } from '../../kernel/caller.ts'
import { from, rowBy } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { members } from '../../storage/schema/account.ts'
import type { MembershipRow } from '../accounts/store.ts'

/* The part of a workspace that the consent page offers: never more than the user can access. */

const LEVELS = ['none', 'read', 'write'] as const
const STRUCTURE_LEVELS = ['none', 'read', 'add', 'write'] as const

/** The levels on the page, in order. */
export interface OfferedLevels {
  readonly notes: readonly (typeof LEVELS)[number][]
  readonly files: readonly (typeof LEVELS)[number][]
  readonly structures: readonly (typeof STRUCTURE_LEVELS)[number][]
}

/** A workspace that the user can connect an app to. */
export interface OfferedWorkspace {
  readonly pk: number
  readonly id: string
  readonly name: string
  readonly mayWrite: boolean
  readonly rights: Rights | undefined
}

const findMember = rowBy((workspace: number, user: number) =>
  from(members, { role: members.role, access: members.access }).where(
    and(eq(members.workspace, workspace), eq(members.user, user)),
  ),
)

export const offeredWorkspaces = (
  reader: Reader,
  user: number,
  memberships: readonly MembershipRow[],
  isReadOnly: boolean,
): OfferedWorkspace[] =>
  memberships.map(({ workspacePk: pk, workspaceId: id, name, role }) => ({
    pk,
    id,
    name,
    mayWrite: role !== 'viewer' && !isReadOnly,
    rights: rightsOf([readAccess(findMember(reader, pk, user)?.access ?? null)], role !== 'viewer'),
  }))

const RANK: Readonly<Record<Level, number>> = { none: 0, definition: 0, read: 1, add: 1, write: 2 }

function upTo<Of extends Level>(all: readonly Of[], highest: readonly Level[]): readonly Of[] {
  const most = Math.max(...highest.map((level) => RANK[level]))
  const offered = all.filter((level) => RANK[level] <= most)
  // Rows can be added without being read, and the reverse.
  return most === 1 ? offered.filter((level) => level === 'none' || highest.includes(level)) : offered
}

/** The levels that the user has in any of the workspaces. */
export function offeredLevels(workspaces: readonly OfferedWorkspace[]): OfferedLevels {
  const of = (levels: (rights: Rights) => readonly Level[]) =>
    workspaces.flatMap(({ rights, mayWrite }): readonly Level[] =>
      rights ? levels(rights) : [mayWrite ? 'write' : 'read'],
    )
  return {
    notes: upTo(
      LEVELS,
      of(({ notes }) => [notes]),
    ),
    files: upTo(
      LEVELS,
      of(({ files }) => [files]),
    ),
    structures: upTo(
      STRUCTURE_LEVELS,
      of(({ structures }) => Object.values(structures)),
    ),
  }
}

const chosen = <Of extends string>(all: readonly Of[], sent: string | undefined): Of | undefined =>
  sent === undefined ? ('write' as Of) : all.find((level) => level === sent)

/** The access in a sent consent form; undefined if it is malformed. A part that is not sent is unrestricted. */
export function accessIn(field: (name: string) => string | undefined): Access | undefined {
  const notes = chosen(LEVELS, field('access.notes'))
  const files = chosen(LEVELS, field('access.files'))
  const others = chosen(STRUCTURE_LEVELS, field('access.structures'))
  return notes && files && others && { notes, files, structures: { [OTHERS]: others } }
}
