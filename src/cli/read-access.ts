import { type Access, LEVELS, OTHERS, STRUCTURE_LEVELS } from '../kernel/caller.ts'
import { fail, refused } from '../lib/refusal.ts'
import type { WorkspaceRow } from '../people/accounts/store.ts'
import { findStructure } from '../records/structures/store.ts'
import type { Reader } from '../storage/reader.ts'
import { WrongUsage } from './command.ts'
import { commandCaller } from './open-database.ts'

type Level = (typeof LEVELS)[number]
type StructureLevel = (typeof STRUCTURE_LEVELS)[number]

const isAmong = <Level extends string>(levels: readonly Level[], level: string): level is Level =>
  levels.some((one) => one === level)

/** Parses the access in a flag: parts with their levels, separated by commas. */
export function readAccessFlag(reader: Reader, workspace: WorkspaceRow, text: string): Access {
  const parts: { notes?: Level; files?: Level } = {}
  const structures: Record<string, StructureLevel> = {}
  for (const part of text.split(',')) {
    const at = part.lastIndexOf('=')
    const [name, level] = [part.slice(0, at).trim(), part.slice(at + 1).trim()]
    if (name === 'notes' || name === 'files') {
      if (!isAmong(LEVELS, level)) throw wrongLevel(part, LEVELS)
      if (parts[name] !== undefined) throw namedTwice(name)
      parts[name] = level
    } else {
      if (!isAmong(STRUCTURE_LEVELS, level)) throw wrongLevel(part, STRUCTURE_LEVELS)
      const id = name === OTHERS ? OTHERS : structureId(reader, workspace, name)
      if (structures[id] !== undefined) throw namedTwice(name)
      structures[id] = level
    }
  }
  return { ...parts, structures }
}

const wrongLevel = (part: string, levels: readonly string[]) =>
  new WrongUsage(`--access must be parts such as notes=none with one of ${levels.join(', ')}, not "${part}".`)

const namedTwice = (name: string) => new WrongUsage(`--access names "${name}" twice; give it one level.`)

const structureId = (reader: Reader, workspace: WorkspaceRow, name: string): string =>
  findStructure(reader, commandCaller(workspace), name)?.id ??
  fail(refused(`--access names the structure "${name}", and there is no such structure in this workspace.`))
