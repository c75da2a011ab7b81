import type { GetModuleInfo } from 'rolldown'

/*
 * Scripts of the application are few large files, as each file costs a request and half a kilobyte of headers, and is
 * compressed by itself. A part is what its modules import, except the modules of another part. Everything else is split
 * by the bundler into the code of one screen or dialog.
 */

/** The programs of workers, which load no code of a page. */
const WORKERS = [
  'pages/records/csv/lines-worker.ts',
  'pages/notes/preview/parts-worker.ts',
  'pages/graph/layout-worker.ts',
]

/** Parts of every visit, once the user is known. Code that two of these parts import belongs to the application. */
const ALWAYS: Readonly<Record<string, readonly string[]>> = {
  application: ['application.tsx'],
  'sign-in': ['pages/sign-in/sign-in.tsx'],
  list: [
    'pages/notes/screen.tsx',
    'pages/rail-lists.tsx',
    'pages/notes/side.tsx',
    'pages/notes/tags.tsx',
    'pages/notes/templates.tsx',
  ],
  offline: ['offline/start.ts', 'offline/open-document.ts'],
}

interface ScreenPart {
  readonly roots: readonly string[]
  readonly shared: string
  readonly folder?: string
}

/**
 * Parts of some screens, with the name of the part for the modules that code of other screens imports as well. Code that
 * is loaded on demand from `folder` belongs to the same screen.
 */
const SOME: Readonly<Record<string, ScreenPart>> = {
  note: {
    roots: ['pages/notes/opened-note.tsx', 'pages/comments/comments.tsx', 'pages/notes/math/draw-formula.ts'],
    shared: 'common',
    folder: 'pages/notes/',
  },
  editor: {
    roots: [
      'pages/notes/editor/code-mirror.ts',
      'pages/notes/editor/comment-marks.ts',
      'pages/notes/editor/presence-marks.ts',
    ],
    shared: 'codemirror',
    folder: 'pages/notes/editor/',
  },
  tables: { roots: ['pages/records/screen.tsx'], shared: 'rows', folder: 'pages/records/' },
}

const otherRoots = (part: ScreenPart): string[] =>
  Object.values(SOME).flatMap((other) => (other === part ? [] : other.roots))

/** Returns the part of each module that belongs to one. `root` is the folder of the application. */
export function partsOf(root: string, ids: readonly string[], infoOf: GetModuleInfo): Map<string, string> {
  const importedBy = (roots: Iterable<string>): Set<string> => {
    const found = new Set(roots)
    for (const id of found) for (const next of infoOf(id)?.importedIds ?? []) found.add(next)
    return found
  }
  const known = new Set(ids)
  const pathsOf = (paths: readonly string[]) =>
    paths.map((path) => {
      const id = `${root}/${path}`
      if (!known.has(id))
        throw new Error(`${path} is named as the start of a part, and is not in the application`)
      return id
    })
  const modulesOf = (paths: readonly string[]) => importedBy(pathsOf(paths))
  const workers = modulesOf(WORKERS)
  const always = Object.entries(ALWAYS).map(([name, roots]) => ({ name, modules: modulesOf(roots) }))
  const roots = [Object.values(ALWAYS), Object.values(SOME).map((part) => part.roots), WORKERS].flat(2)
  const named = new Set(pathsOf(roots))
  const onDemand = ids.filter((id) => !named.has(id) && (infoOf(id)?.dynamicImporters.length ?? 0) > 0)
  const some = Object.entries(SOME).map(([name, part]) => ({
    name,
    shared: part.shared,
    modules: modulesOf(part.roots),
    elsewhere: importedBy(
      [...onDemand, ...pathsOf(otherRoots(part))].filter(
        (id) => part.folder === undefined || !id.startsWith(`${root}/${part.folder}`),
      ),
    ),
  }))
  // Few visits load the form to sign in, so screens should not need its part.
  const isOfApplication = (id: string, owner: string): boolean =>
    owner === 'application' ||
    (owner === 'sign-in' &&
      (id.startsWith(`${root}/components/`) || some.some(({ modules }) => modules.has(id))))
  const partOf = (id: string): string | undefined => {
    const owners = always.filter(({ modules }) => modules.has(id))
    const part = some.find(({ modules }) => modules.has(id))
    if (owners.length === 0 && !part) return undefined
    if (workers.has(id)) return 'shared'
    const [owner] = owners
    if (owner) return owners.length > 1 || isOfApplication(id, owner.name) ? 'application' : owner.name
    return part?.elsewhere.has(id) ? part.shared : part?.name
  }
  const parts = new Map<string, string>()
  for (const id of ids) {
    const part = partOf(id)
    if (part !== undefined) parts.set(id, part)
  }
  return parts
}
