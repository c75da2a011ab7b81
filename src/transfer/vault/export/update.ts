import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Caller } from '../../../context.ts'
import { readParts } from '../../../files/store.ts'
import { refused } from '../../../lib/refusal.ts'
import { sha256 } from '../../../lib/sha256.ts'
import type { Db } from '../../../storage/database.ts'
import type { Reader } from '../../../storage/reader.ts'
import { asRefusal, inOneSnapshot, withNewFile } from '../../new-files.ts'
import { columnsOf, insertImported, updateImported } from '../earlier-imports.ts'
import { distinguishesCase, HALF_MS, planTree } from './export.ts'
import { ExportedLinks } from './links.ts'
import { NoteTexts } from './note-text.ts'
import { tableFileOf } from './table-text.ts'

/** A note, file or table of the workspace, at its path in an export. */
interface Wanted {
  readonly kind: 'note' | 'file' | 'structure'
  readonly id: string
  readonly path: string
  readonly updatedAt: number
  file(): {
    readonly bytes: Uint8Array
    /** The record of an import of the file. */
    record(): object
  }
}

/** A file of the folder that an import or update recorded. */
interface Known {
  readonly pk: number
  readonly object: string
  /** Relative to the updated folder. */
  readonly path: string
  readonly digest: string
}

/** A file that the folder now has for an object. */
interface Done {
  readonly wanted: Wanted
  readonly known: Known | undefined
  readonly digest: string
  readonly record: object
}

export interface VaultUpdate {
  /** Paths of written files. */
  readonly written: readonly string[]
  /** Paths of files that were removed because their notes or files have other paths now. */
  readonly moved: readonly string[]
  /** Files that stay as they are: they were changed in the folder too, or something else has their paths. */
  readonly conflicts: readonly string[]
  readonly unchanged: number
}

/**
 * Writes what changed in a workspace into the folder of an imported vault. Every other file stays as it is: also files
 * that changed in the folder since, and those of deleted notes. Files removed from the folder are written again only if
 * their notes changed.
 */
export async function updateVault(db: Db, caller: Caller, folder: string): Promise<VaultUpdate> {
  if (!existsSync(folder))
    throw refused(`There is no folder ${folder}; without --update, a new one is written.`)
  const root = realpathSync(folder)
  const update = new FolderUpdate(root, knownIn(db, caller, root))
  if (update.isUnknown)
    throw refused(
      `The folder ${folder} was never imported into this workspace; import it first, or export to a new folder.`,
    )
  const failure = inOneSnapshot(db, () => update.write([...wantedFiles(db, caller, root)]))
  await db.write((tx) => {
    // Notes may have exchanged their paths, of which each is recorded once. No path begins like this.
    for (const { known, wanted } of update.done)
      if (known && known.path !== wanted.path)
        tx.sql.run("UPDATE imported_files SET path = '//' || pk WHERE pk = ?", known.pk)
    for (const { wanted, known, digest, record } of update.done) {
      const place = { folder: root, path: wanted.path, digest }
      // The record of a deleted note, whose file was removed from the folder.
      tx.sql.run(
        'DELETE FROM imported_files WHERE workspace = ? AND folder = ? AND path = ? AND pk <> ?',
        caller.workspacePk,
        root,
        wanted.path,
        known?.pk ?? 0,
      )
      if (known) updateImported(tx, known.pk, { ...place, ...record })
      else
        insertImported(tx, {
          ...place,
          ...record,
          workspace: caller.workspacePk,
          kind: wanted.kind,
          object: wanted.id,
        })
    }
  })
  if (failure) throw asRefusal(failure.error, failure.path)
  return update.outcome()
}

/** Also of imports of folders within this folder. */
const knownIn = ({ sql }: Reader, { workspacePk }: Caller, root: string): Known[] =>
  sql.all(
    `SELECT pk, object, substr(folder || '/' || path, length(?1) + 2) AS path, digest FROM imported_files
     WHERE workspace = ?2 AND substr(folder || '/', 1, length(?1) + 1) = ?1 || '/' AND digest <> ''
     ORDER BY pk DESC`,
    root,
    workspacePk,
  )

function* wantedFiles(reader: Reader, caller: Caller, root: string): Generator<Wanted> {
  const tree = planTree(reader, caller, { root, distinguishesCase: distinguishesCase(root) })
  const texts = new NoteTexts(reader, caller, new ExportedLinks(reader, caller, tree))
  for (const note of tree.notes)
    yield {
      kind: 'note',
      id: note.id,
      path: note.file.path,
      updatedAt: note.updatedAt,
      file: () => {
        const { bytes, record } = texts.fileOf(note)
        return { bytes, record: () => columnsOf(record()) }
      },
    }
  for (const { pk, id, path, updatedAt } of tree.files)
    yield {
      kind: 'file',
      id,
      path,
      updatedAt,
      file: () => ({ bytes: Buffer.concat([...readParts(reader, pk)]), record: () => ({}) }),
    }
  for (const table of tree.tables.filter(({ original, isChanged }) => original || isChanged))
    yield {
      kind: 'structure',
      id: table.structure.id,
      path: table.path,
      updatedAt: table.structure.updatedAt,
      file: () => {
        const { bytes, record } = tableFileOf(reader, table)
        return { bytes, record: () => columnsOf(record()) }
      },
    }
}

/** Stands for a folder, a symbolic link, or a path behind one, in place of a file. */
const NO_FILE = 'no file'

/** Holds a file until it is complete; imports skip it. */
const UNFINISHED = '.daybook-unfinished'

const PERMISSIONS = 0o777

/** The update of one folder. */
class FolderUpdate {
  readonly done: Done[] = []
  readonly #known: ReadonlyMap<string, Known>
  /** The objects whose recorded files have these paths, unless they moved. */
  readonly #owners: Map<string, string>
  /** The files of objects that exchange their paths, under names that imports skip. */
  readonly #setAside = new Map<string, string>()
  readonly #written: string[] = []
  readonly #moved: string[] = []
  readonly #conflicts: string[] = []
  #unchanged = 0

  constructor(
    private readonly root: string,
    known: readonly Known[],
  ) {
    this.#known = new Map(known.map((file) => [file.object, file]))
    this.#owners = new Map(known.map(({ path, object }) => [path, object]))
  }

  get isUnknown(): boolean {
    return this.#known.size === 0
  }

  outcome = (): VaultUpdate => ({
    written: this.#written.sort(),
    moved: this.#moved.sort(),
    conflicts: this.#conflicts.sort(),
    unchanged: this.#unchanged,
  })

  /**
   * Writes the files. A file that gets the path of one that moves too is written after that one. Returns the error that
   * ended the update; what was done before it is to be recorded.
   */
  write(all: readonly Wanted[]): { readonly error: unknown; readonly path: string } | undefined {
    const ids = new Set(all.map(({ id }) => id))
    const isWaiting = ({ id, path }: Wanted) => {
      const owner = this.#owners.get(path)
      return owner !== undefined && owner !== id && ids.has(owner)
    }
    let path = ''
    try {
      let waiting = all
      for (let count = Number.POSITIVE_INFINITY; waiting.length < count; ) {
        count = waiting.length
        waiting = waiting.filter((wanted) => {
          if (isWaiting(wanted)) return true
          path = wanted.path
          this.#writeOne(wanted)
          return false
        })
        if (waiting.length === count && this.#setFirstAside(waiting)) count += 1
      }
      for (const { id, path: wantedPath } of waiting)
        this.#conflicts.push(this.#known.get(id)?.path ?? wantedPath)
      return undefined
    } catch (error) {
      return { error, path }
    }
  }

  /**
   * Frees a path if only exchanged paths are left, such as those of two notes with swapped titles. Returns false if one
   * of the files was edited.
   */
  #setFirstAside(waiting: readonly Wanted[]): boolean {
    const files = waiting.flatMap(({ id }) => this.#known.get(id) ?? [])
    const first = files.find(({ object }) => !this.#setAside.has(object))
    if (!first || files.some(({ path, digest }) => this.#digestAt(path) !== digest)) return false
    const aside = join(dirname(first.path), `${UNFINISHED}-${this.#setAside.size}`)
    renameSync(join(this.root, first.path), join(this.root, aside))
    this.#setAside.set(first.object, aside)
    this.#owners.delete(first.path)
    return true
  }

  #writeOne(wanted: Wanted): void {
    const known = this.#known.get(wanted.id)
    const { bytes, record } = wanted.file()
    const digest = sha256(bytes)
    const isSamePlace = known?.path === wanted.path
    const aside = this.#setAside.get(wanted.id)
    const before = aside === undefined ? known && this.#digestAt(known.path) : known?.digest
    if (isSamePlace && known.digest === digest) {
      if (before === undefined || before === digest) this.#unchanged += 1
      return
    }
    const isOwn = isSamePlace || (known !== undefined && this.#isSameFile(known.path, wanted.path))
    const present = isOwn ? before : this.#digestAt(wanted.path)
    const isEdited = before !== undefined && before !== known?.digest && !(isOwn && before === digest)
    if (isEdited || (!isOwn && present !== undefined && present !== digest)) {
      this.#conflicts.push(known?.path ?? wanted.path)
      return
    }
    if (isOwn && !isSamePlace) renameSync(join(this.root, known.path), join(this.root, wanted.path))
    if (present === digest) this.#unchanged += 1
    else this.#replace(wanted, bytes)
    if (aside !== undefined) rmSync(join(this.root, aside))
    if (known && !isSamePlace) this.#leave(known, !isOwn && aside === undefined && before !== undefined)
    this.done.push({ wanted, known, digest, record: record() })
  }

  /** The digest of the file at a path; undefined if there is nothing. Symbolic links are not followed. */
  #digestAt(path: string): string | undefined {
    const names = path.split('/')
    for (const depth of names.keys()) {
      const stats = lstatSync(join(this.root, ...names.slice(0, depth + 1)), { throwIfNoEntry: false })
      if (!stats) return undefined
      const isLast = depth + 1 === names.length
      if (isLast ? !stats.isFile() : !stats.isDirectory()) return NO_FILE
    }
    return sha256(readFileSync(join(this.root, path)))
  }

  /** Whether the paths differ in case only, on a file system that ignores it. */
  #isSameFile(path: string, other: string): boolean {
    const [one, two] = [path, other].map((each) =>
      lstatSync(join(this.root, each), { throwIfNoEntry: false }),
    )
    return path.toLowerCase() === other.toLowerCase() && one?.ino === two?.ino && one !== undefined
  }

  #replace({ path, updatedAt }: Wanted, bytes: Uint8Array): void {
    const whole = join(this.root, path)
    const unfinished = join(dirname(whole), UNFINISHED)
    mkdirSync(dirname(whole), { recursive: true })
    rmSync(unfinished, { force: true })
    withNewFile(unfinished, (write) => write(bytes), 'flushed')
    const seconds = (updatedAt + HALF_MS) / 1_000
    utimesSync(unfinished, seconds, seconds)
    const mode = lstatSync(whole, { throwIfNoEntry: false })?.mode
    if (mode !== undefined) chmodSync(unfinished, mode & PERMISSIONS)
    renameSync(unfinished, whole)
    this.#written.push(path)
  }

  /** The object has another path now. */
  #leave({ path }: Known, isPresent: boolean): void {
    if (isPresent) rmSync(join(this.root, path))
    this.#owners.delete(path)
    this.#moved.push(path)
  }
}
