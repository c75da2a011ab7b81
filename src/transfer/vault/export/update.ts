import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Caller } from '../../../context.ts'
import { readParts } from '../../../files/store.ts'
import { refused } from '../../../lib/refusal.ts'
import { sha256 } from '../../../lib/sha256.ts'
import type { Db } from '../../../storage/database.ts'
import type { Reader } from '../../../storage/reader.ts'
import { inOneSnapshot } from '../../new-files.ts'
import { columnsOf, insertImported, updateImported } from '../earlier-imports.ts'
import { HALF_MS, planTree } from './export.ts'
import { ExportedLinks } from './links.ts'
import { NoteTexts } from './note-text.ts'

/** A note or file as an export writes it. */
interface Wanted {
  readonly kind: 'note' | 'file'
  readonly id: string
  readonly path: string
  readonly updatedAt: number
  bytes(): Uint8Array
  /** The record of an import of a note; nothing for a file. */
  record(): object
}

interface Known {
  readonly pk: number
  readonly object: string
  readonly path: string
  readonly digest: string
}

/** A file that the folder now has for an object. */
interface Done {
  readonly wanted: Wanted
  readonly known: Known | undefined
  readonly digest: string
}

export interface VaultUpdate {
  /** Paths of written files. */
  readonly written: readonly string[]
  /** Paths of files that were removed because their notes or files have other paths now. */
  readonly moved: readonly string[]
  /** Files that were changed in the folder too, and stay as they are. */
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
  inOneSnapshot(db, () => {
    for (const wanted of wantedFiles(db, caller)) update.write(wanted)
  })
  await db.write((tx) => {
    for (const { wanted, known, digest } of update.done) {
      const place = { folder: root, path: wanted.path, digest }
      if (known) updateImported(tx, known.pk, place)
      else
        insertImported(tx, {
          ...place,
          ...wanted.record(),
          workspace: caller.workspacePk,
          kind: wanted.kind,
          object: wanted.id,
        })
    }
  })
  return update.outcome()
}

const knownIn = ({ sql }: Reader, { workspacePk }: Caller, root: string): Known[] =>
  sql.all(
    'SELECT pk, object, path, digest FROM imported_files WHERE workspace = ? AND folder = ?',
    workspacePk,
    root,
  )

function* wantedFiles(reader: Reader, caller: Caller): Generator<Wanted> {
  const tree = planTree(reader, caller)
  const texts = new NoteTexts(reader, caller, new ExportedLinks(reader, caller, tree))
  for (const note of tree.notes)
    yield {
      kind: 'note',
      id: note.id,
      path: note.file.path,
      updatedAt: note.updatedAt,
      bytes: () => texts.bytesOf(note),
      record: () => columnsOf(texts.recordOf(note)),
    }
  for (const { pk, id, path, updatedAt } of tree.files)
    yield {
      kind: 'file',
      id,
      path,
      updatedAt,
      bytes: () => Buffer.concat([...readParts(reader, pk)]),
      record: () => ({}),
    }
}

/** The update of one folder. */
class FolderUpdate {
  readonly done: Done[] = []
  readonly #known: ReadonlyMap<string, Known>
  readonly #written: string[] = []
  readonly #moved: string[] = []
  readonly #conflicts: string[] = []
  #unchanged = 0

  constructor(
    private readonly root: string,
    known: readonly Known[],
  ) {
    this.#known = new Map(known.map((one) => [one.object, one]))
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

  write(wanted: Wanted): void {
    const known = this.#known.get(wanted.id)
    const bytes = wanted.bytes()
    const digest = sha256(bytes)
    const before = known && this.#digestAt(known.path)
    const isSamePlace = known?.path === wanted.path
    const present = isSamePlace ? before : this.#digestAt(wanted.path)
    const isUnchanged = known?.digest === digest && isSamePlace
    if (present === digest || (isUnchanged && present === undefined)) this.#unchanged += 1
    else if (isUnchanged) return
    else if (this.#isTaken(known, isSamePlace, present) || (before ?? known?.digest) !== known?.digest) {
      this.#conflicts.push(known?.path ?? wanted.path)
      return
    } else this.#replace(wanted, bytes)
    if (known && !isSamePlace && before !== undefined) this.#remove(known.path)
    this.done.push({ wanted, known, digest })
  }

  /** Whether a file that does not belong to the object has its path. */
  #isTaken = (known: Known | undefined, isSamePlace: boolean, present: string | undefined): boolean =>
    present !== undefined && !(known && isSamePlace)

  #digestAt(path: string): string | undefined {
    const whole = join(this.root, path)
    return existsSync(whole) ? sha256(readFileSync(whole)) : undefined
  }

  #replace({ path, updatedAt }: Wanted, bytes: Uint8Array): void {
    const whole = join(this.root, path)
    const parent = dirname(whole)
    mkdirSync(parent, { recursive: true })
    // A link may lead out of the folder.
    if (realpathSync(parent) !== parent)
      throw refused(`${path} lies behind a symbolic link; it is not written.`)
    const unfinished = join(parent, `.${basename(whole)}.unfinished`)
    writeFileSync(unfinished, bytes)
    const seconds = (updatedAt + HALF_MS) / 1_000
    utimesSync(unfinished, seconds, seconds)
    renameSync(unfinished, whole)
    this.#written.push(path)
  }

  #remove(path: string): void {
    rmSync(join(this.root, path))
    this.#moved.push(path)
  }
}
